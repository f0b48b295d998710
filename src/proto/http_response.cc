#include "proto/http_response.h"

#include <ctime>
#include <iterator>
#include <utility>

#include "fmt/format.h"

namespace gub {

namespace {

constexpr std::pair<int, std::string_view> kReasons[] = {
    {200, "OK"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

}  // namespace

std::string_view HttpReason(int status) {
  for (const auto& [number, reason] : kReasons) {
    if (number == status) return reason;
  }
  return "";
}

void HttpResponse::AddField(std::string_view name, std::string_view value) {
  fmt::format_to(std::back_inserter(fields), "{}: {}\r\n", name, value);
}

// Not by strftime's names, which follow the locale.
std::string_view HttpDate::At(int64_t unix_s) {
  if (unix_s == unix_s_) return text_;
  constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t time = unix_s;
  std::tm utc{};
  gmtime_r(&time, &utc);
  text_ = fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[utc.tm_wday], utc.tm_mday,
                      kMonths[utc.tm_mon], 1900 + utc.tm_year, utc.tm_hour, utc.tm_min, utc.tm_sec);
  unix_s_ = unix_s;
  return text_;
}

void WriteHttpResponse(const HttpResponse& response, const HttpReplyStyle& style,
                       std::string_view date, ByteBuffer* out) {
  fmt::memory_buffer head;
  const auto put = std::back_inserter(head);
  fmt::format_to(put, "HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Length: {}\r\n", response.status,
                 HttpReason(response.status), date, response.body.size());
  if (!response.type.empty()) fmt::format_to(put, "Content-Type: {}\r\n", response.type);
  // Who speaks 1.0 closes unless told otherwise, who speaks 1.1 stays.
  if (!style.keep_alive) fmt::format_to(put, "Connection: close\r\n");
  if (style.keep_alive && !style.is_http_1_1) fmt::format_to(put, "Connection: keep-alive\r\n");
  fmt::format_to(put, "{}\r\n", response.fields);
  out->Append({head.data(), head.size()});
  if (!style.is_head) out->Append(response.body);
}

}  // namespace gub
