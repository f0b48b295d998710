// Member: a node as discovery names it.
//
// Threads:  plain values and pure functions.
// Errors:   kInvalidArgument; the message names the text that could not be read.

#ifndef GUB_CLUSTER_MEMBER_H_
#define GUB_CLUSTER_MEMBER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace gub {

inline constexpr int kMaxMemberWeight = 1000;

// The address has one canonical form, since nodes that write it differently would choose different
// owners: "host:port" in lower case, the port always, a name without its last dot, IPv6 in brackets
// and as RFC 5952 writes it. Names are never resolved here.
struct Member {
  std::string address;
  int weight = 1;  // 1 to kMaxMemberWeight: its share of the slots beside the others'

  friend bool operator==(const Member&, const Member&) = default;
};

// The two halves of a canonical address; the host without brackets.
struct HostPort {
  std::string host;
  int port = 0;
};

// Reads "host", "host:port", "[v6]:port", each with or without "*weight" behind it. default_port
// stands for a missing port; 0: the port must not be missing.
absl::StatusOr<Member> ParseMember(std::string_view text, int default_port);

// Reads members that are separated by spaces, ends of lines or commas, sorted and merged.
absl::StatusOr<std::vector<Member>> ParseMembers(std::string_view text, int default_port);

// Sorts by address and leaves out what is there twice. An address with two weights is an error.
absl::StatusOr<std::vector<Member>> MergeMembers(std::vector<Member> members);

// "host:port" of a host that may be an IPv6 address without brackets, in canonical form.
absl::StatusOr<std::string> CanonicalAddress(std::string_view host, int port);

// REQUIRES: a canonical address.
HostPort SplitAddress(std::string_view address);

}  // namespace gub

#endif  // GUB_CLUSTER_MEMBER_H_
