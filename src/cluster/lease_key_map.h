// LeaseKeyMap: something for each of the keys that have leases, by name, key and algorithm.
//
// Threads:  one at a time.
// Memory:   a LeaseMapKey belongs to one call: short ones are built on the stack.

#ifndef GUB_CLUSTER_LEASE_KEY_MAP_H_
#define GUB_CLUSTER_LEASE_KEY_MAP_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "cluster/lease_frame.h"
#include "store/bucket_key.h"

namespace gub {

// A key as one string, as the store has it. The hash is the standard library's: the maps hold at
// most as many keys as there may be leases, and who may make a lease is a node of the cluster.
class LeaseMapKey {
 public:
  explicit LeaseMapKey(const LeaseKey& key) : bytes_(key.name, key.key, key.algorithm, 0) {}

  std::string_view bytes() const { return bytes_.bytes(); }
  size_t hash() const { return std::hash<std::string_view>()(bytes()); }

 private:
  BucketKey bytes_;
};

struct LeaseKeyHash {
  using is_transparent = void;
  size_t operator()(std::string_view bytes) const { return std::hash<std::string_view>()(bytes); }
};
struct LeaseKeyEqual {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return a == b; }
};

template <typename Value>
using LeaseKeyMap = absl::flat_hash_map<std::string, Value, LeaseKeyHash, LeaseKeyEqual>;

}  // namespace gub

#endif  // GUB_CLUSTER_LEASE_KEY_MAP_H_
