#include "command/hit_arguments.h"

#include <limits>
#include <optional>
#include <string>

#include "base/text.h"
#include "command/words.h"
#include "fmt/format.h"

namespace gub {

namespace {

absl::Status Invalid(const std::string& text) { return absl::InvalidArgumentError(text); }

absl::Status ParseInteger(std::string_view field, std::string_view word, int64_t* value) {
  const std::optional<int64_t> number = ParseInt64(word);
  if (!number) return Invalid(fmt::format("{} is not an integer or out of range", field));
  *value = *number;
  return absl::OkStatus();
}

absl::Status ParseNotNegative(std::string_view field, std::string_view word, int64_t* value) {
  int64_t number = 0;
  if (absl::Status status = ParseInteger(field, word, &number); !status.ok()) return status;
  if (number < 0) return Invalid(fmt::format("{} must not be negative", field));
  *value = number;
  return absl::OkStatus();
}

absl::Status ParseAtLeastOne(std::string_view field, std::string_view word, int64_t max,
                             int64_t* value) {
  if (absl::Status status = ParseInteger(field, word, value); !status.ok()) return status;
  if (*value < 1) return Invalid(fmt::format("{} must be at least 1", field));
  if (*value > max) return Invalid(fmt::format("{} must be at most {}", field, max));
  return absl::OkStatus();
}

// What may stand behind the duration, in any order but for algorithm and behavior.
class HitWords {
 public:
  HitWords(Args words, Hit* hit) : words_(words), request_(&hit->request), reply_(&hit->reply) {}

  absl::Status Parse() {
    while (next_ < words_.size()) {
      const std::string_view word = words_[next_++];
      absl::Status status = absl::OkStatus();
      if (EqualsIgnoreCase(word, "BURST")) {
        status = ParseBurst();
      } else if (EqualsIgnoreCase(word, "ONFAIL")) {
        status = ParsePolicy();
      } else if (EqualsIgnoreCase(word, "FULL")) {
        if (*reply_ == ReplyKind::kFull) return SyntaxError();
        *reply_ = ReplyKind::kFull;
      } else {
        status = ParsePositional(word);
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status SyntaxError() { return Invalid("syntax error"); }

  absl::Status ParseBurst() {
    if (has_burst_ || next_ == words_.size()) return SyntaxError();
    has_burst_ = true;
    int64_t burst = 0;
    absl::Status status = ParseNotNegative("burst", words_[next_++], &burst);
    if (status.ok() && burst > 0) request_->burst = burst;
    return status;
  }

  absl::Status ParsePolicy() {
    if (request_->on_fail != OnFail::kDefault || next_ == words_.size()) return SyntaxError();
    const std::string_view word = words_[next_++];
    const std::optional<OnFail> policy = ParseOnFail(word);
    if (!policy) return Invalid(fmt::format("unknown onfail '{}'", Escape(word)));
    request_->on_fail = *policy;
    return absl::OkStatus();
  }

  absl::Status ParsePositional(std::string_view word) {
    switch (positional_++) {
      case 0: {
        const std::optional<Algorithm> algorithm = ParseAlgorithm(word);
        if (!algorithm) return Invalid(fmt::format("unknown algorithm '{}'", Escape(word)));
        request_->algorithm = *algorithm;
        return absl::OkStatus();
      }
      case 1: {
        const absl::StatusOr<uint32_t> behavior = ParseBehavior(word);
        if (behavior.ok()) request_->behavior = *behavior;
        return behavior.status();
      }
      default:
        return Invalid(fmt::format("unknown option '{}'", Escape(word)));
    }
  }

  const Args words_;
  Request* const request_;
  ReplyKind* const reply_;
  size_t next_ = 0;
  int positional_ = 0;
  bool has_burst_ = false;
};

}  // namespace

absl::Status CheckNameAndKey(std::string_view name, std::string_view key, size_t max_key_bytes) {
  if (name.empty()) return Invalid("name must not be empty");
  if (key.empty()) return Invalid("key must not be empty");
  if (name.size() + key.size() > max_key_bytes) {
    return Invalid(fmt::format("name and key are longer than {} bytes", max_key_bytes));
  }
  return absl::OkStatus();
}

absl::Status ParseHit(Args args, size_t max_key_bytes, Hit* hit) {
  Request* const request = &hit->request;
  request->name = args[1];
  request->key = args[2];
  absl::Status status = CheckNameAndKey(args[1], args[2], max_key_bytes);
  if (status.ok()) status = ParseInteger("hits", args[3], &request->hits);
  if (status.ok()) status = ParseNotNegative("limit", args[4], &request->limit);
  // The words come first: a behavior says how the duration is to be read.
  if (status.ok()) status = HitWords(args.subspan(6), hit).Parse();
  if (!status.ok()) return status;
  const absl::StatusOr<Period> period = ParsePeriod(args[5], request->Has(kDurationIsGregorian));
  if (period.ok()) request->period = *period;
  return period.status();
}

absl::Status ParseTake(Args args, size_t max_key_bytes, Hit* hit) {
  if (args.size() > 5) return Invalid("syntax error");
  hit->reply = ReplyKind::kTake;
  Request* const request = &hit->request;
  request->name = kTakeName;
  request->key = args[1];
  request->algorithm = Algorithm::kLeaky;
  absl::Status status = CheckNameAndKey(request->name, args[1], max_key_bytes);
  if (status.ok()) status = ParseNotNegative("capacity", args[2], &request->burst);
  if (!status.ok()) return status;
  const std::optional<Rate> rate = ParseRatePerSecond(args[3]);
  if (!rate) {
    return Invalid(
        "refill_per_second must be a decimal number above 0, at most 9000000000, with up to 9 "
        "decimals");
  }
  request->limit = rate->limit;
  request->period = Period::Ms(rate->duration_ms);
  request->hits = 1;
  return args.size() == 5 ? ParseInteger("cost", args[4], &request->hits) : absl::OkStatus();
}

absl::Status ParseThrottle(Args args, size_t max_key_bytes, Hit* hit) {
  if (args.size() > 6) return Invalid("syntax error");
  hit->reply = ReplyKind::kThrottle;
  Request* const request = &hit->request;
  constexpr int64_t kMaxPeriodS = Period::kMaxMs / 1000;
  request->name = kThrottleName;
  request->key = args[1];
  request->algorithm = Algorithm::kLeaky;
  int64_t max_burst = 0;
  int64_t period_s = 0;
  absl::Status status = CheckNameAndKey(request->name, args[1], max_key_bytes);
  if (status.ok()) status = ParseNotNegative("max_burst", args[2], &max_burst);
  if (status.ok() && max_burst == std::numeric_limits<int64_t>::max()) {
    status = Invalid("max_burst is not an integer or out of range");
  }
  if (status.ok()) {
    status =
        ParseAtLeastOne("count", args[3], std::numeric_limits<int64_t>::max(), &request->limit);
  }
  if (status.ok()) status = ParseAtLeastOne("period", args[4], kMaxPeriodS, &period_s);
  request->hits = 1;
  if (status.ok() && args.size() == 6) status = ParseInteger("quantity", args[5], &request->hits);
  if (!status.ok()) return status;
  request->burst = max_burst + 1;
  request->period = Period::Ms(period_s * 1000);
  return status;
}

}  // namespace gub
