#include "proto/gubernator_json.h"

#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.h"
#include "fmt/format.h"

namespace gub {

namespace {

using Json = nlohmann::json;

// Tells how far it has been read.
class CountingIterator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names are the standard library's.
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  CountingIterator(const char* at, size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  size_t* count_;
};

// A field of a request, and how it is read.
struct FieldRow {
  std::string_view name;
  std::string_view camel_name;
  std::string GatewayRequest::*text = nullptr;
  int64_t GatewayRequest::*number = nullptr;
  std::string GatewayRequest::*word = nullptr;  // a number or a text
};

constexpr FieldRow kFields[] = {
    {"name", "name", &GatewayRequest::name},
    {"unique_key", "uniqueKey", &GatewayRequest::unique_key},
    {"hits", "hits", nullptr, &GatewayRequest::hits},
    {"limit", "limit", nullptr, &GatewayRequest::limit},
    {"duration", "duration", nullptr, nullptr, &GatewayRequest::duration},
    {"algorithm", "algorithm", nullptr, nullptr, &GatewayRequest::algorithm},
    {"behavior", "behavior", nullptr, nullptr, &GatewayRequest::behavior},
    {"burst", "burst", nullptr, &GatewayRequest::burst},
};

bool IsListName(std::string_view name) {
  return name == "requests" || name == "rate_limits" || name == "rateLimits";
}

// The events of the reader, in their order: depth 1 is the object, 2 the list, 3 a request.
class Handler : public nlohmann::json_sax<Json> {
 public:
  Handler(size_t max_requests, const size_t* position)
      : max_requests_(max_requests), position_(*position) {}

  std::vector<GatewayRequest> Take() { return std::move(requests_); }
  const std::optional<absl::Status>& error() const { return error_; }

  bool null() override {
    if (Skips() || (depth_ == 1 && in_list_field_) || (depth_ == 3 && field_ != nullptr)) {
      return Scalar();
    }
    return depth_ == 1 || depth_ == 3 ? Scalar() : Wrong("an object");
  }
  bool boolean(bool) override { return Other(); }
  bool number_integer(number_integer_t value) override { return Number(value); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (value <= kMost) return Number(static_cast<int64_t>(value));
    return IsWanted() ? Wrong("an integer of 64 bits") : Other();
  }
  // 1e3 and 5.0 are integers to protobuf as well.
  bool number_float(number_float_t value, const string_t&) override {
    constexpr double kExact = 9007199254740992;  // 2^53
    if (std::trunc(value) == value && std::abs(value) <= kExact) {
      return Number(static_cast<int64_t>(value));
    }
    return IsWanted() ? Wrong("an integer of 64 bits") : Other();
  }
  bool string(string_t& value) override {
    if (!IsWanted()) return Other();
    if (field_->text != nullptr) {
      request().*(field_->text) = std::move(value);
    } else if (field_->word != nullptr) {
      request().*(field_->word) = std::move(value);
    } else {
      const std::optional<int64_t> number = ParseInt64(value);
      if (!number) return Wrong("an integer of 64 bits");
      request().*(field_->number) = *number;
    }
    return Scalar();
  }
  bool binary(binary_t&) override { return Other(); }

  bool start_object(size_t) override {
    if (skip_depth_ > 0 || depth_ == 0) return Deeper();
    if (depth_ == 2) {
      if (requests_.size() == max_requests_) return TooMany();
      requests_.emplace_back();
      seen_ = 0;
      return Deeper();
    }
    if (IsWanted() || (depth_ == 1 && in_list_field_)) return Wrong(Expected());
    return Skip();
  }
  bool start_array(size_t) override {
    if (skip_depth_ > 0) return Deeper();
    if (depth_ == 1 && in_list_field_) return Deeper();
    if (depth_ == 0 || depth_ == 2 || IsWanted()) return Wrong(Expected());
    return Skip();
  }
  bool end_object() override { return Shallower(); }
  bool end_array() override { return Shallower(); }

  bool key(string_t& name) override {
    if (skip_depth_ > 0) return true;
    field_ = nullptr;
    if (depth_ == 1) {
      in_list_field_ = IsListName(name);
      if (in_list_field_ && std::exchange(has_list_, true)) return Twice(name);
      return true;
    }
    for (size_t i = 0; i < std::size(kFields); ++i) {
      if (name != kFields[i].name && name != kFields[i].camel_name) continue;
      if ((seen_ & (1U << i)) != 0) return Twice(name);
      seen_ |= 1U << i;
      field_ = &kFields[i];
    }
    return true;
  }

  bool parse_error(size_t position, const std::string&, const Json::exception&) override {
    error_ = absl::InvalidArgumentError(
        fmt::format("the JSON cannot be read at byte {}{}", position, Where()));
    return false;
  }

 private:
  GatewayRequest& request() { return requests_.back(); }
  bool Skips() const { return skip_depth_ > 0; }
  bool IsWanted() const { return !Skips() && depth_ == 3 && field_ != nullptr; }

  bool Scalar() {
    field_ = nullptr;
    return true;
  }
  bool Deeper() {
    ++depth_;
    return true;
  }
  bool Skip() {
    skip_depth_ = depth_ + 1;
    return Deeper();
  }
  bool Shallower() {
    if (depth_ == skip_depth_) skip_depth_ = 0;
    --depth_;
    if (depth_ == 1) in_list_field_ = false;
    return true;
  }
  bool Number(int64_t value) {
    if (!IsWanted()) return Other();
    if (field_->text != nullptr) return Wrong("a string");
    if (field_->number != nullptr) request().*(field_->number) = value;
    if (field_->word != nullptr) request().*(field_->word) = fmt::to_string(value);
    return Scalar();
  }
  // A value that is none of those that may stand there, or one that nobody asks for.
  bool Other() {
    if (Skips()) return true;
    if (IsWanted() || depth_ == 0 || depth_ == 2 || (depth_ == 1 && in_list_field_)) {
      return Wrong(Expected());
    }
    return Scalar();
  }
  std::string_view Expected() const {
    if (depth_ == 1) return "a list";
    if (field_ == nullptr) return "an object";
    return field_->number != nullptr ? "an integer of 64 bits" : "a string";
  }

  // " in requests[3].limit"
  std::string Where() const {
    if (depth_ < 2) return in_list_field_ ? " in requests" : "";
    const bool in_request = depth_ >= 3 && !requests_.empty();
    const size_t index = in_request ? requests_.size() - 1 : requests_.size();
    return fmt::format(" in requests[{}]{}{}", index, in_request && field_ != nullptr ? "." : "",
                       in_request && field_ != nullptr ? field_->name : "");
  }
  bool Wrong(std::string_view wanted) {
    error_ = absl::InvalidArgumentError(
        fmt::format("expected {} at byte {}{}", wanted, position_, Where()));
    return false;
  }
  bool Twice(std::string_view name) {
    error_ = absl::InvalidArgumentError(
        fmt::format("'{}' stands twice, again at byte {}{}", Escape(name), position_, Where()));
    return false;
  }
  bool TooMany() {
    error_ = absl::OutOfRangeError(
        fmt::format("Requests.RateLimits list too large; max size is '{}'", max_requests_));
    return false;
  }

  const size_t max_requests_;
  const size_t& position_;
  std::vector<GatewayRequest> requests_;
  std::optional<absl::Status> error_;
  size_t depth_ = 0;
  size_t skip_depth_ = 0;  // of the value that is passed over; 0: none is
  bool in_list_field_ = false;
  bool has_list_ = false;
  unsigned seen_ = 0;  // of kFields, in this request
  const FieldRow* field_ = nullptr;
};

}  // namespace

absl::StatusOr<std::vector<GatewayRequest>> ReadRateLimits(std::string_view body,
                                                           size_t max_requests) {
  size_t position = 0;
  Handler handler(max_requests, &position);
  const char* const end = body.data() + body.size();
  const CountingIterator first(body.data(), &position);
  const CountingIterator last(end, &position);
  // The handler takes the reader's errors: it throws none.
  if (Json::sax_parse(first, last, &handler)) return handler.Take();
  if (handler.error()) return *handler.error();
  return absl::InvalidArgumentError("the JSON cannot be read");
}

std::string WriteRateLimits(const std::vector<GatewayAnswer>& answers) {
  std::string text = "{\"responses\":[";
  const auto put = std::back_inserter(text);
  for (const GatewayAnswer& answer : answers) {
    if (&answer != answers.data()) text += ',';
    fmt::format_to(put,
                   "{{\"status\":\"{}\",\"limit\":\"{}\",\"remaining\":\"{}\","
                   "\"reset_time\":\"{}\",\"error\":{},\"metadata\":{{",
                   answer.over_limit ? "OVER_LIMIT" : "UNDER_LIMIT", answer.limit, answer.remaining,
                   answer.reset_ms, JsonQuoted(answer.error));
    if (!answer.owner.empty()) text += "\"owner\":" + JsonQuoted(answer.owner);
    if (answer.degraded) {
      text += answer.owner.empty() ? "\"degraded\":\"true\"" : ",\"degraded\":\"true\"";
    }
    text += "}}";
  }
  return text + "]}";
}

std::string JsonQuoted(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string JsonError(int code, std::string_view message) {
  return fmt::format("{{\"code\":{},\"message\":{},\"details\":[]}}", code, JsonQuoted(message));
}

}  // namespace gub
