#include "command/peer_answers.h"

#include "base/clock.h"
#include "cluster/router.h"

namespace gub {

int64_t PeerTimeMs() { return BootNs() / 1'000'000; }

void PeerAnswers::Take(size_t which, const Decision& decision) {
  awaited_[which].decision = decision;
  if (--missing_ > 0) return;
  late_.Fill([this](ReplyWriter* reply) { Write(reply); });
}

std::string PeerAnswers::Joined() const {
  std::string joined;
  size_t begin = 0;
  for (size_t i = 0; i < reply_.gaps.size(); ++i) {
    joined.append(reply_.answers, begin, reply_.gaps[i] - begin);
    begin = reply_.gaps[i];
    AppendPeerAnswer(awaited_[i], &joined);
  }
  joined.append(reply_.answers, begin);
  return joined;
}

void PeerAnswers::Write(ReplyWriter* reply) const {
  reply->Array(5);
  reply->Integer(number_);
  reply->Integer(PeerTimeMs());
  reply->Integer(reply_.late ? 1 : 0);
  reply->Bulk(reply_.gaps.empty() ? reply_.answers : Joined());
  reply->Integer(static_cast<int64_t>(late_.worker->router->view().digest));
}

}  // namespace gub
