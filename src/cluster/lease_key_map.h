// LeaseKeyMap: something for each of the keys that have leases, by name, key and algorithm.
//
// Threads:  one at a time.
// Memory:   a LeaseMapKey belongs to one call: short ones are built on the stack.

#ifndef GUB_CLUSTER_LEASE_KEY_MAP_H_
#define GUB_CLUSTER_LEASE_KEY_MAP_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "cluster/lease_frame.h"
#include "store/bucket_key.h"

namespace gub {

// Keys come from strangers: abseil's hash is seeded per process.
struct LeaseKeyHash {
  using is_transparent = void;
  size_t operator()(std::string_view bytes) const {
    return absl::Hash<absl::string_view>()({bytes.data(), bytes.size()});
  }
};

// A key as one string, as the store has it.
class LeaseMapKey {
 public:
  explicit LeaseMapKey(const LeaseKey& key) : bytes_(key.name, key.key, key.algorithm) {}

  std::string_view bytes() const { return bytes_.bytes(); }
  size_t hash() const { return LeaseKeyHash()(bytes()); }

 private:
  BucketKey bytes_;
};

struct LeaseKeyEqual {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return a == b; }
};

template <typename Value>
using LeaseKeyMap = absl::flat_hash_map<std::string, Value, LeaseKeyHash, LeaseKeyEqual>;

}  // namespace gub

#endif  // GUB_CLUSTER_LEASE_KEY_MAP_H_
