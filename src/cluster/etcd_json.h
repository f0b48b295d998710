// What etcd's JSON gateway (v3) is asked and what it answers, as text. Keys and values travel in
// base64, 64-bit numbers as strings.
//
// Threads:  pure functions.
// Errors:   nothing, for a text that is not what etcd would answer.

#ifndef GUB_CLUSTER_ETCD_JSON_H_
#define GUB_CLUSTER_ETCD_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/member.h"

namespace gub::etcd {

// --- what is asked ---

std::string GrantBody(int64_t ttl_s);              // /v3/lease/grant
std::string LeaseBody(std::string_view lease_id);  // /v3/lease/keepalive and /v3/lease/revoke
// /v3/kv/put of what a member says of itself: {"address":"…","weight":…} at prefix + address.
std::string PutBody(std::string_view prefix, const Member& member, std::string_view lease_id);
std::string RangeBody(std::string_view prefix);                         // /v3/kv/range
std::string WatchBody(std::string_view prefix, int64_t from_revision);  // /v3/watch

// --- what is answered ---

struct Lease {
  std::string id;
  int64_t ttl_s;
};
std::optional<Lease> ReadGrant(std::string_view body);

// What is left of the lease, in seconds; 0: it is lost.
std::optional<int64_t> ReadKeepAlive(std::string_view body);

struct MemberList {
  int64_t revision = 0;
  std::vector<Member> members;          // sorted, each once
  std::vector<std::string> wrong_keys;  // of entries that name no member, or another than their key
};
std::optional<MemberList> ReadRange(std::string_view body, std::string_view prefix);

// One line of the watch stream.
enum class WatchNews {
  kNothing,  // the watch has begun, or goes on
  kChange,   // something under the prefix has changed
  kEnd,      // nothing more will come: compacted, cancelled or an error
};
std::optional<WatchNews> ReadWatchLine(std::string_view line);

// The sentence of an answer with another status than 200; "" when there is none.
std::string ReadError(std::string_view body);

}  // namespace gub::etcd

#endif  // GUB_CLUSTER_ETCD_JSON_H_
