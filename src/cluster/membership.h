// Membership: the list of members that counts, made of what a source says.
//
// Every change of this list moves slots to other owners, where their buckets start afresh, so it
// follows the source with care:
//   * An empty list, and trouble, leave it as it is.
//   * A member that is new counts at once; so does another weight.
//   * A member that the source has dropped stays for leave_grace_ms while its link still answers:
//     then the source has lost it, not we. It goes at once when its link does not answer, or when
//     it has said that it leaves. Where there is no link, one is tried first.
//   * A member that comes and goes is removed at most once in leave_grace_ms, whatever its link
//     does; in between it stays. (Not so one that said that it leaves.)
//   * The node itself is always in it: as the source writes it, or else by its own address; until
//   it
//     leaves, when others are left.
//
//   member  | in the source's list | leaves it when
//   --------+----------------------+-------------------------------------------------------------
//   listed  |         yes          | a list lacks it -> dropped
//   dropped |         no           | a list has it -> listed; one of the reasons above -> removed
//
// Threads:  loop-confined; no clock and no I/O.
// Time:     now_mono_ms is the loop's and never runs back.

#ifndef GUB_CLUSTER_MEMBERSHIP_H_
#define GUB_CLUSTER_MEMBERSHIP_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/member.h"
#include "cluster/peer_registry.h"

namespace gub {

class Membership {
 public:
  // How often a dropped member's link is looked at, and one that is being tried.
  static constexpr int64_t kLookMs = 1000;
  static constexpr int64_t kTryMs = 50;

  // What is known of a canonical address. Each may be empty: then the node knows itself by its own
  // address only, and all links are silent.
  struct Knowledge {
    std::function<bool(const std::string& address)> is_self;
    std::function<LinkState(const std::string& address)> link;
    // Connects to it, so that `link` will know.
    std::function<void(const std::string& address)> try_link;
  };

  struct Verdict {
    bool changed = false;                       // members() is another list than before
    std::optional<int64_t> look_again_mono_ms;  // when Look is to be called, if nothing comes first
  };

  // Until the source's first list the node is alone.
  Membership(Member self, int64_t leave_grace_ms, Knowledge knowledge);

  // The source has read this list.
  Verdict Listed(const std::vector<Member>& list, int64_t now_mono_ms);

  // The time has come that a verdict named, or something is known that was not before.
  Verdict Look(int64_t now_mono_ms);

  // The member has told this node that it leaves. This is believed for leave_grace_ms; the member
  // stays as long as the source lists it.
  Verdict MemberLeaves(const std::string& address, int64_t now_mono_ms);

  // The node itself leaves: it is no member any more, unless it is the only one.
  Verdict Leave(int64_t now_mono_ms);

  // From the next call on.
  void set_leave_grace_ms(int64_t leave_grace_ms) { leave_grace_ms_ = leave_grace_ms; }

  // Whether the member of this address is the node itself.
  bool IsSelf(const std::string& address) const;

  // Sorted by address, each once.
  const std::vector<Member>& members() const { return members_; }

 private:
  struct Entry {
    int weight;
    std::optional<int64_t> dropped_mono_ms;  // nothing: listed
  };

  LinkState Link(const std::string& address) const;
  bool IsRecent(int64_t mono_ms, int64_t now_mono_ms) const;
  int64_t RemovalTime(const std::string& address, int64_t dropped_mono_ms, LinkState link) const;
  void RemoveDropped(Verdict* verdict, int64_t now_mono_ms);
  Verdict Settle(int64_t now_mono_ms);
  std::vector<Member> Compose() const;

  const Member self_;
  const Knowledge knowledge_;
  int64_t leave_grace_ms_;
  bool left_ = false;

  std::map<std::string, Entry> entries_;
  std::map<std::string, int64_t> said_leave_mono_ms_;  // recent ones only
  std::map<std::string, int64_t> removed_mono_ms_;     // recent ones only
  std::vector<Member> members_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_MEMBERSHIP_H_
