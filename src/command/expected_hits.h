// ExpectedHits: what comes next in a pipeline, as far as it is hits. They are read before the first
// of them is run, so that the waits for memory of those on this node's buckets pass at the same
// time, and what was read is not read again.
//
// It never shows: a request that is not here, or may not be run as it was read, is run as any
// other.
//
// Threads:  one per worker, loop-confined.
// Memory:   borrows the bytes of the requests.

#ifndef GUB_COMMAND_EXPECTED_HITS_H_
#define GUB_COMMAND_EXPECTED_HITS_H_

#include <array>
#include <cstddef>

#include "command/command_table.h"
#include "command/context.h"
#include "command/hit_arguments.h"
#include "store/store.h"

namespace gub {

class PeerClient;

class ExpectedHits {
 public:
  static constexpr size_t kMost = 16;

  struct Entry {
    const CommandEntry* command = nullptr;  // nullptr: it is none of these
    Hit hit;
    PeerClient* owner = nullptr;  // of the key; nullptr: this node
    Store::Expected bucket;       // when it is this node
  };

  explicit ExpectedHits(CommandContext::Worker* worker) : worker_(*worker) {}

  // Takes the next request, whatever it is. REQUIRES: fewer than kMost were added.
  void Add(const CommandEntry* command, Args args);
  // Brings into the processor's cache what all of them will ask for. To be called once.
  void Prefetch();

  void Clear() { count_ = 0; }
  // The i-th of them; nullptr when it is to be run as any other request.
  const Entry* At(size_t i) const {
    const bool is_known = i < count_ && entries_[i].command != nullptr;
    return is_known && config_ == &*worker_.config ? &entries_[i] : nullptr;
  }

 private:
  CommandContext::Worker& worker_;
  const Config* config_ = nullptr;  // by which they were read
  size_t count_ = 0;
  std::array<Entry, kMost> entries_;
};

}  // namespace gub

#endif  // GUB_COMMAND_EXPECTED_HITS_H_
