#include "cluster/greeting.h"

#include "base/secret.h"
#include "cluster/peer_frame.h"
#include "fmt/format.h"

namespace gub {

namespace {

// Lengths in front, so that no two greetings have one text.
std::string TextOf(const Greeting& greeting, std::string_view role) {
  std::string text;
  for (std::string_view part :
       {std::string_view("gub-peer"), role, std::string_view(greeting.asker_nonce),
        std::string_view(greeting.answerer_nonce), std::string_view(greeting.asker.id),
        std::string_view(greeting.asker.address), std::string_view(greeting.answerer.id),
        std::string_view(greeting.answerer.address)}) {
    text += fmt::format("{}:{},", part.size(), part);
  }
  text += fmt::format("{},{},{}", kPeerProtocol, greeting.asker.digest, greeting.answerer.digest);
  return text;
}

}  // namespace

std::string AskerProof(const Greeting& greeting, std::string_view secret) {
  return KeyedDigest(secret, TextOf(greeting, "asker"));
}

std::string AnswererProof(const Greeting& greeting, std::string_view secret) {
  return KeyedDigest(secret, TextOf(greeting, "answerer"));
}

std::string RivalText(std::string_view address) {
  return fmt::format("another node claims the address {}", address);
}

std::string WhyNoPeer(int64_t version, const PeerIdentity& asker, const PeerIdentity& answerer) {
  if (version != kPeerProtocol) {
    return fmt::format("its peer protocol is {} and here it is {}", version, kPeerProtocol);
  }
  if (asker.id == answerer.id) return "it is this node itself";
  if (asker.address == answerer.address) {
    return fmt::format("both nodes claim the address {}", asker.address);
  }
  return "";
}

}  // namespace gub
