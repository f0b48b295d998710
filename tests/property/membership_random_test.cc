// Membership under random lists, trouble, links and partings: what its header says, at every step.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "cluster/membership.h"
#include "tests/property/seed.h"

namespace gub {

namespace {

constexpr int64_t kGraceMs = 1000;
const Member kSelf = {"a:1", 1};

std::set<std::string> AddressesOf(const std::vector<Member>& members) {
  std::set<std::string> addresses;
  for (const Member& member : members) addresses.insert(member.address);
  return addresses;
}

class RandomMembership {
 public:
  explicit RandomMembership(uint64_t seed) : random_(seed) {}

  void Run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      now_mono_ms_ += Pick(kGraceMs / 2);
      if (Pick(3) == 0) Toggle(&answering_);
      Step();
    }
    ComeToRest();
  }

 private:
  int64_t Pick(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  std::string AnyAddress() { return std::string(1, static_cast<char>('a' + Pick(6))) + ":1"; }
  void Toggle(std::set<std::string>* set) {
    const std::string address = AnyAddress();
    if (set->erase(address) == 0) set->insert(address);
  }

  void Step() {
    switch (Pick(4)) {
      case 0:
        return Check(membership_.Look(now_mono_ms_));
      case 1: {
        const std::string address = AnyAddress();
        if (members_.contains(address)) said_leave_mono_ms_[address] = now_mono_ms_;
        return Check(membership_.MemberLeaves(address, now_mono_ms_));
      }
      case 2:
        return Check(membership_.Listed({}, now_mono_ms_));
      default:
        Toggle(&listed_);
        return List();
    }
  }

  void List() {
    std::vector<Member> list;
    for (const std::string& address : listed_) list.push_back({address, 1});
    if (!list.empty()) {
      for (const std::string& address : last_good_) {
        if (!listed_.contains(address)) dropped_mono_ms_[address] = now_mono_ms_;
      }
      last_good_ = listed_;
    }
    Check(membership_.Listed(list, now_mono_ms_));
    EXPECT_FALSE(membership_.Listed(list, now_mono_ms_).changed) << "the same list again";
  }

  void Check(const Membership::Verdict& verdict) {
    const std::set<std::string> after = AddressesOf(membership_.members());
    EXPECT_EQ(after.size(), membership_.members().size()) << "one is there twice";
    EXPECT_TRUE(after.contains(kSelf.address));
    EXPECT_EQ(verdict.changed, after != members_);
    bool waiting = false;
    for (const std::string& address : last_good_) EXPECT_TRUE(after.contains(address)) << address;
    for (const std::string& address : after) {
      const bool kept = address != kSelf.address && !last_good_.contains(address);
      EXPECT_TRUE(!kept || members_.contains(address)) << address << " comes from nowhere";
      waiting = waiting || kept;
    }
    for (const std::string& address : members_) {
      if (!after.contains(address)) CheckRemoval(address);
    }
    if (waiting) {
      ASSERT_TRUE(verdict.look_again_mono_ms.has_value());
      EXPECT_GT(*verdict.look_again_mono_ms, now_mono_ms_);
      EXPECT_LE(*verdict.look_again_mono_ms, now_mono_ms_ + kGraceMs);
    }
    members_ = after;
  }

  bool IsRecent(const std::map<std::string, int64_t>& times, const std::string& address) const {
    const auto time = times.find(address);
    return time != times.end() && now_mono_ms_ - time->second < kGraceMs;
  }

  void CheckRemoval(const std::string& address) {
    EXPECT_FALSE(last_good_.contains(address)) << address << " is still listed";
    if (IsRecent(said_leave_mono_ms_, address)) {
      said_leave_mono_ms_.erase(address);
      return;
    }
    EXPECT_FALSE(IsRecent(removed_mono_ms_, address)) << address << " flaps";
    EXPECT_FALSE(answering_.contains(address) && IsRecent(dropped_mono_ms_, address)) << address;
    removed_mono_ms_[address] = now_mono_ms_;
  }

  // Left alone, it comes to the last good list within the grace.
  void ComeToRest() {
    const int64_t start_mono_ms = now_mono_ms_;
    Membership::Verdict verdict = membership_.Look(now_mono_ms_);
    members_ = AddressesOf(membership_.members());
    while (verdict.look_again_mono_ms && !::testing::Test::HasFailure()) {
      now_mono_ms_ = *verdict.look_again_mono_ms;
      verdict = membership_.Look(now_mono_ms_);
      Check(verdict);
    }
    EXPECT_LE(now_mono_ms_ - start_mono_ms, kGraceMs);
    std::set<std::string> expected = last_good_;
    expected.insert(kSelf.address);
    EXPECT_EQ(AddressesOf(membership_.members()), expected);
  }

  std::mt19937_64 random_;
  int64_t now_mono_ms_ = 0;
  std::set<std::string> listed_, last_good_, answering_;
  std::set<std::string> members_ = {kSelf.address};
  std::map<std::string, int64_t> dropped_mono_ms_, removed_mono_ms_, said_leave_mono_ms_;
  Membership membership_{kSelf,
                         kGraceMs,
                         {nullptr,
                          [this](const std::string& address) {
                            return answering_.contains(address) ? LinkState::kAnswers
                                                                : LinkState::kSilent;
                          },
                          nullptr}};
};

TEST(MembershipRandomTest, KeepsWhatItsHeaderSaysInEverySequence) {
  const uint64_t seed = RunSeed();
  for (uint64_t run = 0; run < 300 && !HasFailure(); ++run) RandomMembership(seed + run).Run(200);
}

}  // namespace
}  // namespace gub
