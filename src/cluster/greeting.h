// The greeting of two nodes: each proves to the other that it knows the cluster's secret, which is
// not sent.
//
//   asker    -> GUB.PEER HELLO version id address digest nonce asked
//   answerer -> [version, id, address, digest, nonce]
//   asker    -> GUB.PEER PROVE proof     (or GUB.PEER DENY reason)
//   answerer -> [proof, time]
//
// A proof is a keyed digest over who says it, the version, both nonces and all that both have said;
// so none can be used again, nor on another connection, nor the other way round. The asker proves
// itself first: strangers get nothing from a node at which they could try secrets. Without a secret
// the key is empty, and only neighbours on the same machine are taken.
//
// `asked` is the address at which the asker has found the answerer: one that has several names in
// the list answers by that.
//
// Threads:  pure functions.

#ifndef GUB_CLUSTER_GREETING_H_
#define GUB_CLUSTER_GREETING_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace gub {

inline constexpr size_t kNonceBytes = 16;

struct PeerIdentity {
  std::string id;       // 40 hex digits, of the process
  std::string address;  // as in the list of members
  uint64_t digest = 0;  // of its view of the cluster
};

// Both sides of one greeting, as each of them knows them.
struct Greeting {
  PeerIdentity asker;
  PeerIdentity answerer;
  std::string asker_nonce;
  std::string answerer_nonce;
};

std::string AskerProof(const Greeting& greeting, std::string_view secret);
std::string AnswererProof(const Greeting& greeting, std::string_view secret);

// Why a process is refused that answers to an address while another one does.
std::string RivalText(std::string_view address);

// Why the answerer takes nobody who says this of itself; "" when it does.
std::string WhyNoPeer(int64_t version, const PeerIdentity& asker, const PeerIdentity& answerer);

}  // namespace gub

#endif  // GUB_CLUSTER_GREETING_H_
