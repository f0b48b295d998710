// How a node recognises itself in a list of members, however it is written there.
//
// Threads:  pure functions.

#ifndef GUB_CLUSTER_SELF_H_
#define GUB_CLUSTER_SELF_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/member.h"

namespace gub {

// Where this node listens. The hosts are the addresses that it is bound to or, where it is bound to
// 0.0.0.0 or ::, that one and the addresses of the machine's interfaces; and the name or address
// that it advertises. IPv6 without brackets.
struct OwnEndpoint {
  std::vector<std::string> hosts;
  int port = 0;
};

// Whether it is an IPv4 or IPv6 address, without brackets, and no name.
bool IsIp(const std::string& host);

// Whether `member` is this node: its port is ours, and its host, or one of the addresses to which
// that name resolves on this machine, is ours. IPv4 mapped to IPv6 is IPv4. A loopback address is
// ours whichever it is (Debian gives a machine's own name 127.0.1.1), unless this node is bound to
// certain loopback addresses: then others on this machine have the others.
bool IsSelf(const HostPort& member, std::span<const std::string> resolved, const OwnEndpoint& own);

}  // namespace gub

#endif  // GUB_CLUSTER_SELF_H_
