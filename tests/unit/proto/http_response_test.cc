#include "proto/http_response.h"

#include <gtest/gtest.h>

namespace gub {
namespace {

std::string Write(const HttpResponse& response, const HttpReplyStyle& style = {}) {
  ByteBuffer out;
  HttpDate date;
  WriteHttpResponse(response, style, date.At(1'700'000'000), &out);
  return std::string(out.view());
}

constexpr char kDate[] = "Date: Tue, 14 Nov 2023 22:13:20 GMT\r\n";

TEST(HttpResponseTest, WritesStatusFieldsAndBody) {
  HttpResponse response = {.status = 429, .type = kJsonType, .body = "{}"};
  response.AddField("Retry-After", "5");
  EXPECT_EQ(Write(response), std::string("HTTP/1.1 429 Too Many Requests\r\n") + kDate +
                                 "Content-Length: 2\r\nContent-Type: application/json\r\n"
                                 "Retry-After: 5\r\n\r\n{}");
}

TEST(HttpResponseTest, TellsHeadTheLengthWithoutTheBody) {
  EXPECT_EQ(Write({.body = "abc"}, {.is_head = true}),
            std::string("HTTP/1.1 200 OK\r\n") + kDate + "Content-Length: 3\r\n\r\n");
}

TEST(HttpResponseTest, SaysWhetherTheConnectionStays) {
  EXPECT_NE(Write({}, {.keep_alive = false}).find("Connection: close\r\n"), std::string::npos);
  EXPECT_NE(Write({}, {.is_http_1_1 = false}).find("Connection: keep-alive\r\n"),
            std::string::npos);
  EXPECT_EQ(Write({}).find("Connection:"), std::string::npos);
}

}  // namespace
}  // namespace gub
