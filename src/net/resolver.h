// Resolver: asks the domain name system, through c-ares, on a loop.
//
// Unlike getaddrinfo it tells how long an answer holds, knows SRV records, and needs no thread. It
// reads the system's settings (/etc/resolv.conf, /etc/hosts) anew whenever it is asked after a
// silence, and holds no socket while nothing is asked.
//
// Threads:  loop-confined.
// Time:     a question is given up after some seconds, by the system's settings.
// Memory:   may be destroyed at any time but inside its own callbacks; nothing is called then.
// Errors:   kNotFound: the name is not there or has no such records. kUnavailable: nobody knows,
//           for no server has answered or one could not.

#ifndef GUB_NET_RESOLVER_H_
#define GUB_NET_RESOLVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "net/loop.h"

namespace gub {

class Resolver {
 public:
  struct Addresses {
    std::vector<std::string> hosts;  // IPv4 and IPv6, without brackets; sorted, each once
    int64_t ttl_s;                   // the least of all records; 0 from /etc/hosts
  };
  struct Service {
    std::string host;  // a name
    int port;
    int weight;
  };
  struct Services {
    std::vector<Service> services;  // of all priorities
    int64_t ttl_s;
  };
  using OnAddresses = std::function<void(absl::StatusOr<Addresses> addresses)>;
  using OnServices = std::function<void(absl::StatusOr<Services> services)>;

  // server: "address:port" of the only one to ask; empty: the system's. kInvalidArgument when it is
  // neither.
  static absl::StatusOr<std::unique_ptr<Resolver>> Create(Loop* loop, const std::string& server);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Asks for A and for AAAA records and unites them. When only one of the two is known the answer
  // is kUnavailable, never half of the addresses. The callback is called later, not from here.
  void AskAddresses(const std::string& name, OnAddresses on_addresses);

  // Asks for SRV records.
  void AskServices(const std::string& name, OnServices on_services);

 private:
  class Channel;

  explicit Resolver(std::unique_ptr<Channel> channel);

  const std::unique_ptr<Channel> channel_;
};

}  // namespace gub

#endif  // GUB_NET_RESOLVER_H_
