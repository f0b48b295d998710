// MemberSource: where a node learns who the members are.
//
// Threads:  loop-confined: one loop's thread calls it and is called back.
// Time:     each source reads again by itself: when a file changes, a TTL ends, etcd tells of a
//           change; after trouble with growing, jittered pauses.
// Memory:   may be destroyed at any time but inside its own callbacks; nothing is called then.
// Errors:   a list that could not be read is told by OnTrouble, in a sentence for the log.

#ifndef GUB_CLUSTER_MEMBER_SOURCE_H_
#define GUB_CLUSTER_MEMBER_SOURCE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/config.h"
#include "cluster/member.h"

namespace gub {

class Loop;

class MemberSource {
 public:
  // A list that was read, sorted, each member once; it may be the same as before, never empty.
  using OnMembers = std::function<void(std::vector<Member> members)>;
  // Why a list could not be read; what was read before may still be true.
  using OnTrouble = std::function<void(std::string reason)>;

  virtual ~MemberSource() = default;

  // Starts reading. Each reading calls one of the two, the first not before Start has returned.
  virtual void Start(OnMembers on_members, OnTrouble on_trouble) = 0;

  // Tells whoever keeps the list that this node leaves, and reads no more. on_done is called once,
  // within about a second, also when it could not be told; maybe before Leave returns.
  virtual void Leave(std::function<void()> on_done) = 0;
  // Whether the lists of the others lack this node after that.
  virtual bool LeaveTakesEffect() const { return false; }
};

// What the options say of discovery.
struct SourceOptions {
  std::string discovery = "static";  // static, file, dns or etcd
  Member self;                       // what etcd is told, and a static list without any peers
  int default_port = 7379;           // of members that are written without one

  std::vector<std::string> peers;             // static
  std::string file;                           // file: its path
  std::vector<std::string> dns_names;         // dns: "name", "name:port" or "srv:name"
  std::string dns_server;                     // dns: "address:port"; empty: the system's
  std::vector<std::string> etcd_endpoints;    // etcd: "host:port" or an http(s):// URL
  std::string etcd_prefix = "/gub/members/";  // etcd: of the keys, one a member
  int64_t etcd_lease_s = 10;                  // etcd: after which a dead node is gone
};

SourceOptions SourceOptionsOf(const Config& config, Member self, int default_port);

// The source that `options.discovery` names, on the loop, which must outlive it. kInvalidArgument
// when what it needs is missing or wrong.
absl::StatusOr<std::unique_ptr<MemberSource>> MakeSource(Loop* loop, const SourceOptions& options);

}  // namespace gub

#endif  // GUB_CLUSTER_MEMBER_SOURCE_H_
