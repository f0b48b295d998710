// Gubernator's JSON API. Where our contract differs from its habits: docs/gubernator.md.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cluster/router.h"
#include "command/decide.h"
#include "command/hit_arguments.h"
#include "command/http_handlers.h"
#include "command/owned_request.h"
#include "command/words.h"
#include "fmt/format.h"
#include "proto/gubernator_json.h"

namespace gub {

namespace {

// As Gubernator's.
constexpr size_t kMaxRequests = 1000;

absl::Status ParseItem(const GatewayRequest& item, size_t max_key_bytes, Request* request) {
  const auto invalid = [](const std::string& text) { return absl::InvalidArgumentError(text); };
  if (item.unique_key.empty()) return invalid("field 'unique_key' cannot be empty");
  if (item.name.empty()) return invalid("field 'namespace' cannot be empty");
  request->name = item.name;
  request->key = item.unique_key;
  absl::Status status = CheckNameAndKey(item.name, item.unique_key, max_key_bytes);
  if (!status.ok()) return status;
  if (item.limit < 0) return invalid("limit must not be negative");
  if (item.burst < 0) return invalid("burst must not be negative");
  const std::optional<Algorithm> algorithm = ParseAlgorithm(item.algorithm);
  if (!algorithm) return invalid(fmt::format("invalid algorithm '{}'", Escape(item.algorithm)));
  const absl::StatusOr<uint32_t> behavior = ParseBehavior(item.behavior);
  if (!behavior.ok()) return behavior.status();
  request->hits = item.hits;
  request->limit = item.limit;
  if (item.burst > 0) request->burst = item.burst;
  request->algorithm = *algorithm;
  request->behavior = *behavior;
  const absl::StatusOr<Period> period =
      ParsePeriod(item.duration, request->Has(kDurationIsGregorian));
  if (period.ok()) request->period = *period;
  return period.status();
}

// The answers of a batch, on their way together.
class Batch : public std::enable_shared_from_this<Batch> {
 public:
  Batch(HttpCall* call, size_t items)
      : worker_(call->worker()),
        own_address_(worker_.router == nullptr ? "" : worker_.router->view().address),
        answers_(items),
        missing_(items) {}

  void Refuse(size_t item, std::string_view why) {
    worker_.counters->Add(Counter::kRequestErrors);
    worker_.CountError("ERR");
    answers_[item].error = std::string(why);
    --missing_;
  }
  void Ask(size_t item, const Request& request) {
    answers_[item].limit = request.limit;
    const size_t missing = missing_;
    Decide(&worker_, request,
           [self = shared_from_this(), item](const Decided& what) { self->Take(item, what); });
    if (missing_ == missing) waiting_bytes_ += OwnedRequest::BytesFor(request);
  }
  void Take(size_t item, const Decided& decided) {
    GatewayAnswer& answer = answers_[item];
    answer.error = std::string(decided.error);
    if (!decided.error.empty()) {
      worker_.CountError(decided.error);
      answer.limit = 0;
    }
    answer.over_limit = decided.decision.status == LimitStatus::kOver;
    answer.remaining = decided.decision.remaining;
    answer.reset_ms = decided.decision.reset_ms;
    if (worker_.router != nullptr && decided.owner != own_address_) {
      answer.owner = std::string(decided.owner);
    }
    answer.degraded = decided.degraded;
    if (--missing_ == 0 && later_) later_->Respond(Response());
  }

  // About what is kept in memory until it is complete.
  size_t KeptBytes() const { return waiting_bytes_ + answers_.size() * sizeof(GatewayAnswer); }
  bool IsComplete() const { return missing_ == 0; }
  void set_later(const HttpLater& later) { later_ = later; }
  HttpResponse Response() const {
    return {.status = 200, .type = kJsonType, .body = WriteRateLimits(answers_)};
  }

 private:
  CommandContext::Worker& worker_;
  const std::string own_address_;
  std::vector<GatewayAnswer> answers_;
  size_t missing_;
  size_t waiting_bytes_ = 0;  // of requests that were not decided at once
  std::optional<HttpLater> later_;
};

std::string PeerJson(std::string_view address) {
  return fmt::format("{{\"grpc_address\":{},\"data_center\":\"\"}}", JsonQuoted(address));
}

}  // namespace

void HttpGetRateLimits(HttpCall& call) {
  auto items = ReadRateLimits(call.request().body, kMaxRequests);
  if (!items.ok()) {
    call.worker().counters->Add(Counter::kRequestErrors);
    // 11: OUT_OF_RANGE, as Gubernator answers.
    const int code = items.status().code() == absl::StatusCode::kOutOfRange ? 11 : 3;
    return call.Respond({.status = 400,
                         .type = kJsonType,
                         .body = JsonError(code, ToStd(items.status().message())) + "\n",
                         .error = "ERR"});
  }
  const auto batch = std::make_shared<Batch>(&call, items->size());
  const auto max_key_bytes = static_cast<size_t>(call.config().max_key_bytes);
  for (size_t i = 0; i < items->size(); ++i) {
    Request request;
    const absl::Status status = ParseItem((*items)[i], max_key_bytes, &request);
    status.ok() ? batch->Ask(i, request) : batch->Refuse(i, ToStd(status.message()));
  }
  if (batch->IsComplete()) return call.Respond(batch->Response());
  batch->set_later(call.Later(batch->KeptBytes()));
}

// Healthy as long as the node serves; what is wrong with others is told, and is no fault of its.
void HttpHealthCheck(HttpCall& call) {
  Node& node = call.node();
  if (!node.serving) return call.Fail(503, WhyNotReady(node));
  std::string peers;
  std::string message;
  size_t count = 0;
  std::string address = node.address;
  if (node.cluster != nullptr) {
    const auto view = node.cluster->view();
    address = view->address;
    for (const Member& member : view->table.members()) {
      if (count++ > 0) peers += ',';
      peers += PeerJson(member.address);
    }
    for (const PeerSummary& peer : node.cluster->peers().Links()) {
      if (peer.health == OwnerHealth::State::kUp) continue;
      message += fmt::format("{}{} is {}", message.empty() ? "" : "|", peer.address,
                             OwnerHealth::NameOf(peer.health));
    }
  } else {
    count = 1;
    peers = PeerJson(address);
  }
  call.Respond({.type = kJsonType,
                .body = fmt::format("{{\"status\":\"healthy\",\"message\":{},\"peer_count\":{},"
                                    "\"advertise_address\":{},\"local_peers\":[{}],"
                                    "\"region_peers\":[]}}",
                                    JsonQuoted(message), count, JsonQuoted(address), peers)});
}

void HttpLiveCheck(HttpCall& call) { call.Respond({.type = kJsonType, .body = "{}"}); }

}  // namespace gub
