// The addresses of this machine's interfaces.
//
// Threads:  pure but for the system.

#ifndef GUB_NET_INTERFACES_H_
#define GUB_NET_INTERFACES_H_

#include <string>
#include <vector>

namespace gub {

// IPv4 before IPv6, those that are not loopback before those that are; without zone. Empty when the
// system does not tell.
std::vector<std::string> InterfaceAddresses();

}  // namespace gub

#endif  // GUB_NET_INTERFACES_H_
