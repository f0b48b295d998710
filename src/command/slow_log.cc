#include "command/slow_log.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

namespace gub {

void SlowLog::Add(Entry entry, size_t max_entries) {
  MutexLock lock(&mu_);
  entry.id = next_id_++;
  entries_.push_front(std::move(entry));
  if (entries_.size() > max_entries) entries_.resize(max_entries);
}

std::vector<SlowLog::Entry> SlowLog::Latest(size_t count) const {
  MutexLock lock(&mu_);
  count = std::min(count, entries_.size());
  return {entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(count)};
}

size_t SlowLog::size() const {
  MutexLock lock(&mu_);
  return entries_.size();
}

void SlowLog::Clear() {
  MutexLock lock(&mu_);
  entries_.clear();
}

std::vector<std::string> SlowLog::Shown(std::span<const std::string_view> args) {
  std::vector<std::string> shown;
  const size_t whole = args.size() > kMaxArgs ? kMaxArgs - 1 : args.size();
  for (std::string_view arg : args.first(whole)) {
    if (arg.size() <= kMaxArgBytes) {
      shown.emplace_back(arg);
    } else {
      shown.push_back(fmt::format("{}... ({} more bytes)", arg.substr(0, kMaxArgBytes),
                                  arg.size() - kMaxArgBytes));
    }
  }
  if (whole < args.size()) {
    shown.push_back(fmt::format("... ({} more arguments)", args.size() - whole));
  }
  return shown;
}

}  // namespace gub
