#include "command/expected_hits.h"

#include "command/decide.h"

namespace gub {

void ExpectedHits::Add(const CommandEntry* command, Args args) {
  if (count_ == 0) config_ = &*worker_.config;
  Entry& entry = entries_[count_++];
  entry.command = nullptr;
  if (command == nullptr || command->spec->parse_hit == nullptr || command->disabled) return;
  if (!ArityFits(command->spec->arity, args.size())) return;
  entry.hit = Hit();
  const auto max_key_bytes = static_cast<size_t>(config_->max_key_bytes);
  if (!command->spec->parse_hit(args, max_key_bytes, &entry.hit).ok()) return;
  entry.command = command;
  entry.owner = OwnerOf(worker_, entry.hit.request.key);
  if (entry.owner == nullptr) worker_.node->store.PrefetchTable(entry.hit.request, &entry.bucket);
}

void ExpectedHits::Prefetch() {
  for (size_t i = 0; i < count_; ++i) {
    Entry& entry = entries_[i];
    if (entry.command == nullptr || entry.owner != nullptr) continue;
    worker_.node->store.PrefetchBucket(&entry.bucket);
  }
}

}  // namespace gub
