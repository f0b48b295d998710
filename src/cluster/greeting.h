// The greeting of two nodes: each proves to the other that it knows the cluster's secret, which is
// not sent.
//
//   asker    -> GUB.PEER HELLO version id address digest nonce
//   answerer -> [version, id, address, digest, nonce, proof, time]
//   asker    -> GUB.PEER PROVE proof
//   answerer -> OK
//
// A proof is a keyed digest over who says it, both nonces and both identities; so none can be used
// again, nor on another connection, nor the other way round. Without a secret the key is empty, and
// only neighbours on the same machine are taken.
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

// Why the answerer takes nobody who says this of itself; "" when it does.
std::string WhyNoPeer(int64_t version, const PeerIdentity& asker, const PeerIdentity& answerer);

}  // namespace gub

#endif  // GUB_CLUSTER_GREETING_H_
