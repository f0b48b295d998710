#include "server/worker.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "command/errors.h"
#include "server/http_session.h"
#include "server/resp_session.h"

namespace gub {

namespace {

std::unique_ptr<Router> MakeRouter(Node* node, Loop* loop, CounterSet* counters) {
  if (node->cluster == nullptr) return nullptr;
  return std::make_unique<Router>(
      PeerClient::Place{loop, node->cluster.get(), &node->config, counters});
}

std::unique_ptr<LeaseDesk> MakeDesk(Node* node, Loop* loop, Router* router, size_t number) {
  if (router == nullptr) return nullptr;
  return std::make_unique<LeaseDesk>(
      LeaseDesk::Place{loop, router, node->leases.get(), &node->config, &node->clock,
                       &node->counters.ForThread(number), number, node->threads,
                       node->cluster->node_id(), node->hooks.at_desk});
}

}  // namespace

Worker::Worker(Node* node, size_t number)
    : node_(node),
      counters_(&node->counters.ForThread(number)),
      router_(MakeRouter(node, &loop_, counters_)),
      desk_(MakeDesk(node, &loop_, router_.get(), number)),
      dispatcher_(node, number, {router_.get(), desk_.get(), this}),
      http_(&dispatcher_.worker(), number),
      place_{&loop_,    node,   &dispatcher_, &http_,
             counters_, number, &read_ahead_, [this](Session* closed) { OnSessionClosed(closed); }},
      wake_timer_(std::make_unique<Timer>(&loop_, [this] { WakeClients(); })),
      idle_timer_(std::make_unique<Timer>(&loop_, [this] { CloseIdle(); })),
      lag_timer_(std::make_unique<Timer>(&loop_, [this] { LookAtLag(); })) {
  idle_timer_->Start(kIdleCheckMs, kIdleCheckMs);
  lag_timer_->Start(kLagCheckMs, kLagCheckMs);
}

absl::Status Worker::Listen(Protocol protocol, ListenSocket socket) {
  auto listener =
      std::make_unique<Listener>(&loop_, [this, protocol](int fd) { OnConnection(protocol, fd); });
  const absl::Status status = listener->Start(std::move(socket));
  if (status.ok()) listeners_.push_back(std::move(listener));
  return status;
}

void Worker::Run() { loop_.Run(); }

Session* Worker::MakeSession(Protocol protocol) {
  std::unique_ptr<Session> session;
  if (protocol == Protocol::kResp) {
    session = std::make_unique<RespSession>(place_);
  } else {
    session = std::make_unique<HttpSession>(place_);
  }
  return sessions_.emplace(session->id(), std::move(session)).first->second.get();
}

void Worker::OnConnection(Protocol protocol, int fd) {
  dispatcher_.RefreshConfig();
  Session* const session = MakeSession(protocol);
  const int64_t clients = node_->connected_clients.fetch_add(1) + 1;
  const Config& config = dispatcher_.config();
  if (!session->connection().Open(fd)) return session->connection().Close();
  const bool is_denied = config.protected_mode && config.requirepass.empty() &&
                         !session->connection().IsFromLoopback();
  if (!is_denied && clients <= config.maxclients) return Admit(session);
  const std::string_view refusal = is_denied ? kDenied : kMaxClients;
  // Other nodes may come in all the same, and prove themselves by the cluster's secret.
  const bool may_come = !is_denied || protocol == Protocol::kHttp || !config.cluster_secret.empty();
  if (!may_come || !HasRoomForStranger(protocol)) return Refuse(session, refusal);
  session->TakeStranger(refusal);
  Admit(session);
}

// Whoever may be no client may be another node, or ask over HTTP what everybody may.
bool Worker::HasRoomForStranger(Protocol protocol) const {
  if (protocol == Protocol::kHttp) return node_->connected_probes < kProbeRoom;
  return router_ != nullptr && node_->connected_candidates < kPeerRoom;
}

void Worker::Admit(Session* session) {
  counters_->Add(Counter::kConnectionsReceived);
  session->Start();
  if (stopping_) session->connection().CloseWhenDrained();
}

void Worker::Refuse(Session* session, std::string_view text) {
  session->CountRefusal(text);
  session->Count(ClientRecord::Standing::kRefused);
  session->Refuse(text, node_->connected_refused <= kRefusedRoom);
}

void Worker::OnSessionClosed(Session* session) {
  session->Uncount();
  sessions_.erase(session->id());
  counters_->Add(Counter::kConnectionsClosed);
  FinishIfStopped();
}

// Replies of one turn of the loop leave together.
void Worker::Fill(int64_t client, PendingReplies::Ticket ticket, std::string_view bytes) {
  const auto found = sessions_.find(client);
  if (found == sessions_.end()) return;
  found->second->Fill(ticket, bytes);
  if (to_flush_.empty()) loop_.Soon([this] { FlushReplies(); });
  if (to_flush_.empty() || to_flush_.back() != client) to_flush_.push_back(client);
}

void Worker::FlushReplies() {
  std::vector<int64_t> clients;
  clients.swap(to_flush_);
  for (int64_t client : clients) {
    const auto found = sessions_.find(client);
    if (found != sessions_.end()) found->second->Flush();
  }
}

// One timer for all: those that are woken too early wait again.
void Worker::WakeLater(int64_t client, int64_t delay_ms) {
  to_wake_.push_back(client);
  if (to_wake_.size() == 1) wake_timer_->Start(delay_ms, 0);
}

void Worker::WakeClients() {
  std::vector<int64_t> clients;
  clients.swap(to_wake_);
  for (int64_t client : clients) {
    const auto found = sessions_.find(client);
    if (found != sessions_.end()) found->second->Flush();
  }
}

void Worker::TryLink(const std::string& address) {
  loop_.Post([this, address] {
    if (router_ == nullptr) return;
    router_->Refresh();
    router_->Try(address);
  });
}

void Worker::SayLeave(std::function<void()> done) {
  loop_.Post([this, done = std::move(done)] {
    if (router_ == nullptr) return done();
    router_->Refresh();
    router_->SayLeave(done);
  });
}

void Worker::ReturnLeases(std::function<void()> done) {
  AtDesk([done = std::move(done)](LeaseDesk* desk) { desk->Leave(done); });
}

void Worker::AtDesk(std::function<void(LeaseDesk* desk)> task) {
  loop_.Post([this, task = std::move(task)] {
    if (desk_ != nullptr) task(desk_.get());
  });
}

void Worker::CloseClient(int64_t id) {
  loop_.Post([this, id] {
    const auto found = sessions_.find(id);
    if (found != sessions_.end()) found->second->connection().Close();
  });
}

void Worker::ConfigChanged() {
  loop_.Post([this] {
    dispatcher_.RefreshConfig();
    if (router_ != nullptr) router_->Refresh();
    if (desk_ != nullptr) desk_->Refresh();
    for (auto& [id, session] : sessions_) session->ApplyConfig(dispatcher_.config());
    const int64_t most_bytes = dispatcher_.config().maxmemory_clients_bytes;
    if (most_bytes > 0) EvictClients(node_, counters_, most_bytes);
  });
}

void Worker::CloseIdle() {
  dispatcher_.RefreshConfig();
  if (router_ != nullptr) {
    router_->Refresh();
    router_->KeepAlive();
  }
  const int64_t now_mono_ns = MonotonicNs();
  node_->top_keys[place_.worker].Tick(now_mono_ns / 1'000'000);
  for (auto& [id, session] : sessions_) session->Look(now_mono_ns);
}

void Worker::LookAtLag() {
  constexpr int64_t kNsPerMs = 1'000'000;
  const int64_t now_mono_ns = MonotonicNs();
  if (lag_due_mono_ns_ != 0) {
    const int64_t late_us = (now_mono_ns - lag_due_mono_ns_) / 1000;
    node_->loop_lags[place_.worker].Add(std::max<int64_t>(late_us, 0), now_mono_ns);
  }
  lag_due_mono_ns_ = now_mono_ns + kLagCheckMs * kNsPerMs;
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
      // What still waits for other nodes is answered by its fallback.
      if (desk_ != nullptr) desk_->GiveUp();
      if (router_ != nullptr) router_->GiveUp();
      FlushReplies();
      for (auto& [id, session] : sessions_) session->connection().Close();
    });
    stop_timer_->Start(kStopDeadlineMs, 0);
    drain_timer_ = std::make_unique<Timer>(&loop_, [this] { DrainSessions(); });
    drain_timer_->Start(kSilenceMs, kSilenceMs);
    DrainSessions();
    FinishIfStopped();
  });
}

void Worker::DrainSessions() {
  for (auto& [id, session] : sessions_) session->connection().CloseWhenDrained();
}

void Worker::FinishIfStopped() {
  if (!stopping_ || !listeners_.empty() || !sessions_.empty()) return;
  stop_timer_.reset();
  drain_timer_.reset();
  idle_timer_.reset();
  wake_timer_.reset();
  // What is still on its way is given up while all are there that this asks.
  if (router_ != nullptr) router_->GiveUp();
  desk_.reset();
  lag_timer_.reset();
  router_.reset();
  loop_.CloseMailbox();
}

}  // namespace gub
