#include "server/session.h"

#include "base/log.h"
#include "command/errors.h"

namespace gub {

Session::Session(const Place& place, const Connection::Limits& limits)
    : place_(place),
      dispatcher_(place.dispatcher),
      connection_(place.loop, this, place.counters, limits) {
  client_.record->id = place.node->next_client_id.fetch_add(1, std::memory_order_relaxed);
}

void Session::Register() {
  ClientRecord& record = *client_.record;
  record.worker = place_.worker;
  record.fd = connection_.fd();
  record.address = connection_.PeerAddress();
  record.local_address = connection_.LocalAddress();
  place_.node->clients.Add(client_.record);
  registered_ = true;
}

void Session::CountRefusal(std::string_view refusal) {
  if (refusal == kDenied) {
    GUB_LOG_EVERY(1000, warn,
                  "a client of another machine was refused, protected-mode is on and there is no "
                  "password address={}",
                  connection_.PeerAddress());
  }
  place_.counters->Add(Counter::kConnectionsRejected);
  place_.counters->Add(Counter::kErrorReplies);
  place_.node->errors.ForThread(place_.worker).Add(refusal);
}

bool Session::IsFull(const ByteBuffer& out) const {
  const PendingReplies& pending = client_.pending;
  if (pending.empty()) return out.size() >= connection_.ReplySoftLimit();
  return pending.waiting() >= kMaxWaitingReplies ||
         pending.held_bytes() >= connection_.ReplySoftLimit();
}

bool Session::IsIdle(int64_t now_mono_ns) const {
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  const int64_t timeout_s = dispatcher_->config().timeout_s;
  return timeout_s > 0 && now_mono_ns - client_.record->last_mono_ns > timeout_s * kNsPerSecond;
}

void Session::OnHeld(size_t pending_bytes, size_t unsent_bytes) {
  SetHeld(&client_.record->pending_bytes, pending_bytes);
  SetHeld(&client_.record->unsent_bytes, unsent_bytes);
}

void Session::SetHeld(std::atomic<int64_t>* field, size_t bytes) {
  Node& node = *place_.node;
  const bool grows = static_cast<int64_t>(bytes) > *field;
  node.client_memory.Set(client_.record.get(), field, static_cast<int64_t>(bytes));
  const int64_t limit = dispatcher_->config().maxmemory_clients_bytes;
  if (grows && limit > 0 && node.client_memory.total() > limit) {
    EvictClients(&node, place_.counters, limit);
  }
}

void Session::OnClosed() {
  if (registered_) place_.node->clients.Remove(client_.id());
  place_.node->client_memory.Forget(client_.record.get());
  place_.on_closed(this);
}

void EvictClients(Node* node, CounterSet* counters, int64_t max_bytes) {
  for (const auto& client : node->client_memory.Evict(node->clients, max_bytes)) {
    counters->Add(Counter::kEvictedClients);
    GUB_LOG_EVERY(1000, warn,
                  "closing the client that holds the most, all are past maxmemory-clients "
                  "held_bytes={} address={}",
                  client->HeldBytes(), client->address);
    node->hooks.close_client(*client);
  }
}

}  // namespace gub
