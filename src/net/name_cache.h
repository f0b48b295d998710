// NameCache: the addresses of the names that a loop dials.
//
// What a name stands for is kept: whoever dials it again does not wait, and goes on with the last
// answer while no name server has another. An answer that comes after whoever asked has given up is
// kept as well; so a name that takes longer to resolve than anybody waits is known the next time.
//
// Threads:  loop-confined.
// Memory:   an entry a name, for good; there are as many names as members.

#ifndef GUB_NET_NAME_CACHE_H_
#define GUB_NET_NAME_CACHE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/resolver.h"

namespace gub {

class NameCache {
 public:
  // For how long an answer is as good as new, whatever its TTL.
  static constexpr int64_t kFreshMs = 5000;

  using OnAddresses = std::function<void(const absl::StatusOr<std::vector<std::string>>& hosts)>;

  // resolver: nullptr: nothing is ever known.
  explicit NameCache(std::unique_ptr<Resolver> resolver) : resolver_(std::move(resolver)) {}

  // What is known of the name; and asks for it when that is nothing, or old.
  const std::vector<std::string>* Find(const std::string& name, int64_t now_mono_ms);
  // Calls back once when the name that was asked for is answered, not from here.
  void Await(const std::string& name, OnAddresses on_addresses);

 private:
  struct Entry {
    std::vector<std::string> hosts;
    int64_t asked_mono_ms = 0;
    bool asking = false;
    std::vector<OnAddresses> waiting;
  };

  void OnAnswer(const std::string& name, const absl::StatusOr<Resolver::Addresses>& answer);

  const std::unique_ptr<Resolver> resolver_;
  std::map<std::string, Entry> entries_;
};

}  // namespace gub

#endif  // GUB_NET_NAME_CACHE_H_
