#include "proto/http_request.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <optional>

#include "base/text.h"

namespace gub {

namespace http = boost::beast::http;

namespace {

// The fields that a request may have.
constexpr size_t kMaxFields = 100;

// Where something stands in the input, which may lie elsewhere in the next call.
struct Range {
  size_t at = 0;
  size_t size = 0;
  std::string_view In(std::string_view input) const { return input.substr(at, size); }
};

// Where the request begins: empty lines before it are passed over (RFC 9112, section 2.2), a few of
// them. Nothing: it has not come yet.
std::optional<size_t> StartOf(std::string_view input) {
  constexpr size_t kMaxEmptyLines = 8;
  size_t start = 0;
  while (start < 2 * kMaxEmptyLines && input.substr(start).starts_with("\r\n")) start += 2;
  const std::string_view rest = input.substr(start);
  return rest.empty() || rest == "\r" ? std::nullopt : std::optional(start);
}

std::string_view TextOf(boost::beast::string_view text) { return {text.data(), text.size()}; }

HttpError ErrorOf(const boost::beast::error_code& code, bool has_header) {
  if (code == http::error::body_limit) return {413, "the body is too long"};
  if (code == http::error::bad_version) return {505, "the version must be HTTP/1.0 or HTTP/1.1"};
  if (code == http::error::bad_method) return {400, "the method cannot be read"};
  if (code == http::error::bad_target) return {400, "the target cannot be read"};
  if (code == http::error::bad_content_length) return {400, "Content-Length is ambiguous"};
  if (code == http::error::bad_transfer_encoding) return {400, "Transfer-Encoding is ambiguous"};
  return has_header ? HttpError{400, "a chunk cannot be read"}
                    : HttpError{400, "the header cannot be read"};
}

}  // namespace

// Beast's parser, which calls back with what it has read. It keeps places, not bytes.
class HttpRequestParser::Reader : public http::basic_parser<true> {
 public:
  explicit Reader(const HttpLimits& limits) {
    eager(true);
    header_limit(static_cast<uint32_t>(limits.max_header_bytes));
    body_limit(limits.max_body_bytes);
  }

  struct Field {
    Range name;
    Range value;
  };

  std::string_view input;  // while put() runs: the whole, from the request's first byte
  Range method;
  Range target;
  int version = 11;
  std::vector<Field> fields;
  bool is_folded = false;
  bool has_too_many = false;
  bool is_chunked = false;
  Range body;
  std::string chunks;

 private:
  using Code = boost::beast::error_code;
  using View = boost::beast::string_view;

  // REQUIRES: `text` lies in the input.
  Range RangeOf(std::string_view text) const {
    return {static_cast<size_t>(text.data() - input.data()), text.size()};
  }
  bool IsInInput(std::string_view text) const {
    return text.empty() || (std::less_equal<>()(input.data(), text.data()) &&
                            std::less<>()(text.data(), input.data() + input.size()));
  }

  // A value that was put together from several lines lies elsewhere, and one that stands on the
  // next line has that line's beginning before it.
  bool IsFolded(std::string_view name, std::string_view value) const {
    if (value.empty()) return false;
    if (!IsInInput(value)) return true;
    const size_t end = RangeOf(name).at + name.size();
    return input.substr(end, RangeOf(value).at - end).find('\n') != std::string_view::npos;
  }

  // NOLINTNEXTLINE(readability-function-size): the parameters are Beast's.
  void on_request_impl(http::verb, View method_text, View target_text, int number, Code&) override {
    method = RangeOf(TextOf(method_text));
    target = RangeOf(TextOf(target_text));
    version = number;
  }
  void on_response_impl(int, View, int, Code&) override {}
  void on_field_impl(http::field, View name, View value, Code&) override {
    if (is_header_done()) return;  // a trailer, which nobody asks for
    const std::string_view text = TextOf(value);
    if (IsFolded(TextOf(name), text)) is_folded = true;
    if (fields.size() == kMaxFields) has_too_many = true;
    if (is_folded || has_too_many) return;
    fields.push_back({RangeOf(TextOf(name)), text.empty() ? Range{} : RangeOf(text)});
  }
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<uint64_t>&, Code&) override {}
  size_t on_body_impl(View piece, Code&) override {
    if (body.size == 0) body.at = RangeOf(TextOf(piece)).at;
    body.size += piece.size();
    return piece.size();
  }
  void on_chunk_header_impl(uint64_t, View, Code&) override { is_chunked = true; }
  size_t on_chunk_body_impl(uint64_t, View piece, Code&) override {
    chunks.append(piece.data(), piece.size());
    return piece.size();
  }
  void on_finish_impl(Code&) override {}
};

std::string_view HttpRequest::Field(std::string_view name) const {
  for (const HttpField& field : fields) {
    if (EqualsIgnoreCase(field.name, name)) return field.value;
  }
  return "";
}

HttpRequestParser::HttpRequestParser(const HttpLimits& limits) : limits_(limits) {}
HttpRequestParser::~HttpRequestParser() = default;

size_t HttpRequestParser::HeldBytes() const {
  return reader_ == nullptr ? 0 : reader_->chunks.capacity();
}

bool HttpRequestParser::HasBodyOver(size_t max_bytes) const {
  const auto announced = reader_->content_length();
  if (announced && *announced > max_bytes) return true;
  return reader_->chunks.size() > max_bytes || came_ > limits_.max_header_bytes + 2 * max_bytes;
}

void HttpRequestParser::Begin(size_t start) {
  reader_ = std::make_unique<Reader>(limits_);
  parsed_ = start;
  has_header_ = false;
  midway_ = true;
}

HttpRequestParser::Outcome HttpRequestParser::Fail(int status, std::string_view text) {
  error_ = {status, text};
  midway_ = false;
  return Outcome::kError;
}

HttpRequestParser::Outcome HttpRequestParser::Next(std::string_view input) {
  if (!midway_) {
    const std::optional<size_t> start = StartOf(input);
    if (!start) return Outcome::kNeedMore;
    Begin(*start);
  }
  reader_->input = input;
  boost::beast::error_code code;
  while (!reader_->is_done() && !code && parsed_ < input.size()) {
    const std::string_view rest = input.substr(parsed_);
    parsed_ += reader_->put({rest.data(), rest.size()}, code);
  }
  if (code == http::error::need_more) code = {};
  came_ = reader_->is_done() ? parsed_ : input.size();
  const bool had_header = has_header_;
  has_header_ = reader_->is_header_done();
  const bool is_long = code == http::error::header_limit ||
                       (!has_header_ && !code && input.size() >= limits_.max_header_bytes);
  if (is_long) {
    const std::string_view header = input.substr(0, limits_.max_header_bytes);
    const size_t start = std::min(header.find_first_not_of("\r\n"), header.size());
    const bool in_target = header.find("\r\n", start) == std::string_view::npos;
    return Fail(in_target ? 414 : 431, "the header is too long");
  }
  if (code) {
    const HttpError error = ErrorOf(code, has_header_);
    return Fail(error.status, error.text);
  }
  if (!has_header_) return Outcome::kNeedMore;
  TakeHeader(input);
  if (!had_header && !CheckHeader()) return Outcome::kError;
  if (reader_->is_done()) return Finish(input);
  if (input.size() >= MaxBytes()) return Fail(413, "the body is too long");
  return Outcome::kNeedMore;
}

// The places, as they lie now.
void HttpRequestParser::TakeHeader(std::string_view input) {
  request_.method = reader_->method.In(input);
  std::string_view target = reader_->target.In(input);
  // http://host/path, as proxies are asked.
  if (const size_t scheme = target.find("://");
      !target.starts_with('/') && scheme != std::string_view::npos) {
    const size_t path = target.find_first_of("/?", scheme + 3);
    target = path == std::string_view::npos ? "/" : target.substr(path);
  }
  const size_t query = target.find('?');
  request_.path = target.substr(0, query);
  request_.query = query == std::string_view::npos ? "" : target.substr(query + 1);
  request_.fields.clear();
  for (const Reader::Field& field : reader_->fields) {
    request_.fields.push_back({field.name.In(input), field.value.In(input)});
  }
  request_.body = "";
  request_.keep_alive = reader_->keep_alive();
  request_.is_http_1_1 = reader_->version == 11;
  request_.expects_continue =
      request_.is_http_1_1 && EqualsIgnoreCase(request_.Field("Expect"), "100-continue");
}

bool HttpRequestParser::CheckHeader() {
  const auto count = [this](std::string_view name) {
    return std::count_if(
        request_.fields.begin(), request_.fields.end(),
        [name](const HttpField& field) { return EqualsIgnoreCase(field.name, name); });
  };
  const auto fail = [this](int status, std::string_view text) {
    Fail(status, text);
    return false;
  };
  if (reader_->is_folded) return fail(400, "folded header lines are not taken");
  if (reader_->has_too_many) return fail(431, "the header has too many fields");
  if (count("Host") > 1) return fail(400, "there is more than one Host");
  if (request_.is_http_1_1 && count("Host") == 0) return fail(400, "there is no Host");
  const auto codings = count("Transfer-Encoding");
  if (codings > 0 && !request_.is_http_1_1) {
    return fail(400, "HTTP/1.0 has no Transfer-Encoding");
  }
  const bool is_chunked = EqualsIgnoreCase(request_.Field("Transfer-Encoding"), "chunked");
  if (codings > 1 || (codings == 1 && !is_chunked)) {
    return fail(501, "of Transfer-Encoding only chunked is taken");
  }
  if (codings > 0 && count("Content-Length") > 0) return fail(400, "the length is ambiguous");
  if (count("Content-Length") > 1) return fail(400, "there is more than one Content-Length");
  return true;
}

HttpRequestParser::Outcome HttpRequestParser::Finish(std::string_view input) {
  request_.body = reader_->is_chunked ? std::string_view(reader_->chunks) : reader_->body.In(input);
  consumed_ = parsed_;
  midway_ = false;
  return Outcome::kRequest;
}

}  // namespace gub
