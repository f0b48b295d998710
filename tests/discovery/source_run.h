// SourceRun: a node's member source on a loop of its own, as housekeeping runs it.
//
// Threads:  one at a time; a thread of its own runs the loop.

#ifndef GUB_TESTS_DISCOVERY_SOURCE_RUN_H_
#define GUB_TESTS_DISCOVERY_SOURCE_RUN_H_

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cluster/member_source.h"
#include "net/loop.h"
#include "tests/support/deadline.h"

namespace gub {

class SourceRun {
 public:
  // A source that cannot be made ends the test program.
  explicit SourceRun(const SourceOptions& options) : loop_(std::make_unique<Loop>()) {
    absl::StatusOr<std::unique_ptr<MemberSource>> source = MakeSource(loop_.get(), options);
    if (!source.ok()) {
      ADD_FAILURE() << ToStd(source.status().message());
      std::abort();
    }
    source_ = *std::move(source);
    thread_ = std::thread([this] { loop_->Run(); });
    loop_->Post([this] {
      source_->Start([this](std::vector<Member> members) { Keep(std::move(members)); },
                     [this](const std::string& reason) { KeepTrouble(reason); });
    });
  }

  // The node dies without a word.
  ~SourceRun() {
    loop_->Post([this] {
      source_.reset();
      loop_->CloseMailbox();
    });
    thread_.join();
  }
  SourceRun(const SourceRun&) = delete;
  SourceRun& operator=(const SourceRun&) = delete;

  // Whether the source's last list becomes this one: "a:1 b:1*2".
  ::testing::AssertionResult Becomes(const std::string& list) {
    if (Eventually([&] { return Last() == list; })) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "it is '" << Last() << "', not '" << list << "'";
  }

  // Whether there is trouble whose reason contains `text`, after what an earlier call has found.
  ::testing::AssertionResult GetsTrouble(const std::string& text) {
    if (Eventually([&] { return FindTrouble(text); })) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << "no trouble '" << text << "' but '" << LastTrouble() << "'";
  }

  // Whether a list is read beyond the first `before`.
  bool ReadsAgain(size_t before) {
    return Eventually([&] { return lists() > before; });
  }
  // Forgets the troubles so far.
  void ForgetTroubles() {
    const std::lock_guard lock(mu_);
    searched_ = reasons_.size();
  }

  // Whether Leave comes to its end.
  bool Leave() {
    std::mutex mu;
    bool done = false;
    loop_->Post([&] {
      source_->Leave([&] {
        const std::lock_guard lock(mu);
        done = true;
      });
    });
    return Eventually([&] {
      const std::lock_guard lock(mu);
      return done;
    });
  }

  std::string Last() const {
    const std::lock_guard lock(mu_);
    return last_;
  }
  std::string LastTrouble() const {
    const std::lock_guard lock(mu_);
    return reasons_.empty() ? "" : reasons_.back();
  }
  size_t lists() const {
    const std::lock_guard lock(mu_);
    return lists_;
  }
  size_t troubles() const {
    const std::lock_guard lock(mu_);
    return reasons_.size();
  }

 private:
  void Keep(const std::vector<Member>& members) {
    const std::lock_guard lock(mu_);
    ++lists_;
    last_.clear();
    for (const Member& member : members) {
      if (!last_.empty()) last_ += ' ';
      last_ += member.address;
      if (member.weight != 1) last_ += "*" + std::to_string(member.weight);
    }
  }
  void KeepTrouble(const std::string& reason) {
    const std::lock_guard lock(mu_);
    reasons_.push_back(reason);
  }
  bool FindTrouble(const std::string& text) {
    const std::lock_guard lock(mu_);
    for (size_t i = searched_; i < reasons_.size(); ++i) {
      if (reasons_[i].find(text) == std::string::npos) continue;
      searched_ = i + 1;
      return true;
    }
    return false;
  }

  const std::unique_ptr<Loop> loop_;
  std::unique_ptr<MemberSource> source_;
  std::thread thread_;

  mutable std::mutex mu_;
  std::string last_;                  // guarded by mu_
  size_t lists_ = 0;                  // guarded by mu_
  std::vector<std::string> reasons_;  // guarded by mu_
  size_t searched_ = 0;               // guarded by mu_: of reasons_, by GetsTrouble
};

}  // namespace gub

#endif  // GUB_TESTS_DISCOVERY_SOURCE_RUN_H_
