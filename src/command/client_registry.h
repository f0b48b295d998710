// ClientRegistry: all clients of a node, for whoever lists, kills or bounds them.
//
// A client lives on its worker's loop; what others may know of it stands in its record.
//
// Threads:  thread-safe. Of a record, the atomics and the name are written by the client's own loop
//           only (`evicted` aside) and read by any.
// Memory:   a record lives as long as anybody holds it.

#ifndef GUB_COMMAND_CLIENT_REGISTRY_H_
#define GUB_COMMAND_CLIENT_REGISTRY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace gub {

struct CommandEntry;

struct ClientRecord {
  // As what a connection counts.
  enum class Standing : uint8_t {
    kClient,
    kCandidate,  // it has come where no client may, and must prove soon that it is a node
    kPeer,       // another node
    kProbe,      // it has come where no client may, and may ask what everybody may
    kRefused,    // it was told so, and is on its way out
  };

  // How a client calls itself.
  struct Names {
    std::string name;
    std::string lib_name;
    std::string lib_version;
  };

  Names names() const {
    MutexLock lock(&mu_);
    return names_;
  }
  void set_names(Names names) {
    MutexLock lock(&mu_);
    names_ = std::move(names);
  }

  bool IsPeer() const { return standing == Standing::kPeer; }
  int64_t HeldBytes() const { return pending_bytes + queued_bytes + unsent_bytes; }

  // Constant once the client is in the registry.
  int64_t id = 0;
  size_t worker = 0;
  int fd = -1;
  std::string address;        // host:port of its end
  std::string local_address;  // of ours
  const int64_t since_mono_ns = MonotonicNs();

  std::atomic<int64_t> last_mono_ns{since_mono_ns};  // of the last batch of requests
  std::atomic<const CommandEntry*> last_command{nullptr};
  std::atomic<int> resp{2};
  // Set by ClientMemory.
  std::atomic<int64_t> pending_bytes{0};  // of requests that are not whole yet
  std::atomic<int64_t> queued_bytes{0};   // of a transaction, watches and subscriptions
  std::atomic<int64_t> unsent_bytes{0};   // of replies
  std::atomic<bool> evicted{false};       // on its way out
  bool uncounted = false;                 // its bytes count no longer; under held_mu
  Mutex held_mu;                          // while these are set

  std::atomic<int64_t> queued_commands{-1};  // of a transaction; -1: none is open
  std::atomic<int64_t> subscriptions{0};
  std::atomic<int64_t> watches{0};
  std::atomic<bool> no_evict{false};
  std::atomic<Standing> standing{Standing::kClient};

 private:
  mutable Mutex mu_;
  Names names_ ABSL_GUARDED_BY(mu_);
};

class ClientRegistry {
 public:
  using Records = std::vector<std::shared_ptr<ClientRecord>>;

  void Add(const std::shared_ptr<ClientRecord>& record);
  void Remove(int64_t id);
  // By id.
  Records All() const;

 private:
  mutable Mutex mu_;
  absl::flat_hash_map<int64_t, std::shared_ptr<ClientRecord>> records_ ABSL_GUARDED_BY(mu_);
};

// The bytes of all clients' buffers, and who has to go when they are too many.
class ClientMemory {
 public:
  // One of a client's numbers of bytes (`field`) is now `bytes`. By the client's own loop.
  void Set(ClientRecord* client, std::atomic<int64_t>* field, int64_t bytes);
  // The client is gone, or none that counts any more.
  void Forget(ClientRecord* client);

  int64_t total() const { return total_.load(std::memory_order_relaxed); }

  // After a call that found nobody to evict, the next ones do nothing for this long.
  static constexpr int64_t kFutileNs = 100'000'000;

  // Marks the clients that hold the most as evicted until the others hold no more than max_bytes
  // together, and returns them; nobody counts their bytes from then on. Clients with no_evict
  // and other nodes stay.
  ClientRegistry::Records Evict(const ClientRegistry& clients, int64_t max_bytes);

 private:
  std::atomic<int64_t> total_{0};
  std::atomic<int64_t> futile_until_mono_ns_{0};
};

}  // namespace gub

#endif  // GUB_COMMAND_CLIENT_REGISTRY_H_
