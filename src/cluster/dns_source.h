// DnsSource: the members that names of the domain name system stand for.
//
// A plain name ("gub.example.org:7379") stands for a member at each of its A and AAAA records; a
// service ("srv:_gub._tcp.example.org") for one at each of its SRV records, with the record's port
// and weight. Every name must be known, or nothing is: half a list would move slots.
//
// Time:     asks again when the least TTL ends, after kMinTtlS to kMaxTtlS; after trouble with
//           pauses of 1 to 10 s.

#ifndef GUB_CLUSTER_DNS_SOURCE_H_
#define GUB_CLUSTER_DNS_SOURCE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cluster/backoff.h"
#include "cluster/member_source.h"
#include "net/resolver.h"
#include "net/timer.h"

namespace gub {

class DnsSource : public MemberSource {
 public:
  static constexpr int64_t kMinTtlS = 1;
  static constexpr int64_t kMaxTtlS = 60;

  // kInvalidArgument when a name or the server is wrong, or there is no name.
  static absl::StatusOr<std::unique_ptr<MemberSource>> Create(Loop* loop,
                                                              const SourceOptions& options);

  void Start(OnMembers on_members, OnTrouble on_trouble) override;
  void Leave(std::function<void()> on_done) override;

 private:
  struct Name {
    std::string name;
    int port = 0;  // 0: a service, which has its own
  };
  // One reading: the names are asked at once, and it is done when all have answered.
  struct Reading {
    size_t open_names = 0;
    std::vector<Member> members;
    int64_t ttl_s = kMaxTtlS;
    absl::Status status;  // the first fault
  };

  DnsSource(Loop* loop, std::vector<Name> names, std::unique_ptr<Resolver> resolver);

  static absl::StatusOr<Name> ReadName(const std::string& text, int default_port);
  void Ask();
  void OnAddresses(int port, const absl::StatusOr<Resolver::Addresses>& addresses);
  void OnServices(const absl::StatusOr<Resolver::Services>& services);
  void Add(const std::string& host, int port, int weight);
  void OnAnswer(const absl::Status& status, int64_t ttl_s);
  void Finish();

  const std::vector<Name> names_;
  OnMembers on_members_;
  OnTrouble on_trouble_;
  Backoff backoff_;
  Timer next_;
  Reading reading_;
  bool stopped_ = false;
  std::unique_ptr<Resolver> resolver_;
};

}  // namespace gub

#endif  // GUB_CLUSTER_DNS_SOURCE_H_
