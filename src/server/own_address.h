// By which address this node is known.
//
// Threads:  pure but for the machine's interfaces.
// Errors:   kInvalidArgument; the message names the option.

#ifndef GUB_SERVER_OWN_ADDRESS_H_
#define GUB_SERVER_OWN_ADDRESS_H_

#include <string>

#include "absl/status/statusor.h"
#include "base/config.h"
#include "cluster/member.h"
#include "cluster/self.h"

namespace gub {

// Whether a host of `bind` stands for every address of the machine.
bool IsWildcard(const std::string& host);

// The address by which the others reach this node: what `advertise` says, or else the first address
// of `bind`; where that stands for all there are, the first of the machine's interfaces.
absl::StatusOr<Member> OwnMember(const Config& config);

// Where it listens, to know itself in lists of members.
OwnEndpoint OwnEndpointOf(const Config& config, int port, const std::string& advertised);

}  // namespace gub

#endif  // GUB_SERVER_OWN_ADDRESS_H_
