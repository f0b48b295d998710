#include "server/worker.h"

#include <utility>

#include "base/log.h"

namespace gub {

Worker::Worker(Node* node, size_t number)
    : node_(node), counters_(&node->counters.ForThread(number)), dispatcher_(node, number) {}

absl::Status Worker::Listen(ListenSocket socket) {
  auto listener =
      std::make_unique<Listener>(&loop_, [this](Listener* source) { OnConnection(source); });
  const absl::Status status = listener->Start(std::move(socket));
  if (status.ok()) listeners_.push_back(std::move(listener));
  return status;
}

void Worker::Run() { loop_.Run(); }

void Worker::OnConnection(Listener* listener) {
  auto session =
      std::make_unique<RespSession>(RespSession::Place{&loop_, node_, &dispatcher_, counters_},
                                    [this](RespSession* closed) { OnSessionClosed(closed); });
  Connection& connection = session->connection();
  sessions_.emplace(session.get(), std::move(session));
  const int64_t clients = node_->connected_clients.fetch_add(1) + 1;
  if (!listener->Accept(&connection)) {
    connection.Close();
  } else if (clients > node_->config.maxclients) {
    counters_->Add(Counter::kConnectionsRejected);
    counters_->Add(Counter::kErrorReplies);
    connection.Refuse("-ERR max number of clients reached\r\n");
  } else {
    counters_->Add(Counter::kConnectionsReceived);
    connection.Start();
    if (stopping_) connection.CloseWhenDrained();
  }
}

void Worker::OnSessionClosed(RespSession* session) {
  sessions_.erase(session);
  node_->connected_clients.fetch_sub(1);
  counters_->Add(Counter::kConnectionsClosed);
  FinishIfStopped();
}

void Worker::BeginStop() {
  loop_.Post([this] {
    stopping_ = true;
    // Clients that connected just before are still on their way through the kernel.
    stop_timer_ = std::make_unique<Timer>(&loop_, [this] { TakeLastClients(); });
    stop_timer_->Start(kLastClientsMs, 0);
  });
}

// Whoever has arrived by now is reported together with one of the next two tasks.
void Worker::TakeLastClients() {
  const auto stop = [this] { StopAccepting(); };
  loop_.Post([this, stop] { loop_.Post(stop); });
}

void Worker::StopAccepting() {
  listeners_.clear();
  loop_.Post([this] {
    stop_timer_ = std::make_unique<Timer>(&loop_, [this] {
      GUB_LOG(warn, "closing clients that were not done in time clients={}", sessions_.size());
      for (auto& [session, owner] : sessions_) session->connection().Close();
    });
    stop_timer_->Start(kStopDeadlineMs, 0);
    drain_timer_ = std::make_unique<Timer>(&loop_, [this] { DrainSessions(); });
    drain_timer_->Start(kSilenceMs, kSilenceMs);
    DrainSessions();
    FinishIfStopped();
  });
}

void Worker::DrainSessions() {
  for (auto& [session, owner] : sessions_) session->connection().CloseWhenDrained();
}

void Worker::FinishIfStopped() {
  if (!stopping_ || !listeners_.empty() || !sessions_.empty()) return;
  stop_timer_.reset();
  drain_timer_.reset();
  loop_.CloseMailbox();
}

}  // namespace gub
