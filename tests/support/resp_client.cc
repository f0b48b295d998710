#include "tests/support/resp_client.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "tests/support/deadline.h"

namespace gub {
namespace {

constexpr timeval kTimeout = {
    .tv_sec = std::chrono::duration_cast<std::chrono::seconds>(kPatience).count(), .tv_usec = 0};

RespReply ToValue(const redisReply& reply) {
  switch (reply.type) {
    case REDIS_REPLY_STATUS:
      return RespReply::Status({reply.str, reply.len});
    case REDIS_REPLY_ERROR:
      return RespReply::Error({reply.str, reply.len});
    case REDIS_REPLY_INTEGER:
      return RespReply::Integer(reply.integer);
    case REDIS_REPLY_STRING:
      return RespReply::Bulk({reply.str, reply.len});
    case REDIS_REPLY_ARRAY: {
      std::vector<RespReply> items;
      for (size_t i = 0; i < reply.elements; ++i) items.push_back(ToValue(*reply.element[i]));
      return RespReply::Array(std::move(items));
    }
    default:
      return RespReply::Nil();
  }
}

}  // namespace

RespClient::RespClient(int port) : context_(redisConnectWithTimeout("127.0.0.1", port, kTimeout)) {
  if (context_ == nullptr || context_->err != 0) {
    std::fprintf(stderr, "RespClient: %s\n", context_ == nullptr ? "no memory" : context_->errstr);
    std::abort();
  }
  redisSetTimeout(context_.get(), kTimeout);
}

void RespClient::Append(const std::vector<std::string>& args) {
  std::vector<const char*> words;
  std::vector<size_t> sizes;
  for (const std::string& arg : args) {
    words.push_back(arg.data());
    sizes.push_back(arg.size());
  }
  redisAppendCommandArgv(context_.get(), static_cast<int>(args.size()), words.data(), sizes.data());
}

void RespClient::Flush() {
  int done = 0;
  while (done == 0 && redisBufferWrite(context_.get(), &done) == REDIS_OK) {
  }
}

RespReply RespClient::ReadReply() {
  void* reply = nullptr;
  if (redisGetReply(context_.get(), &reply) != REDIS_OK) {
    return RespReply::Error(std::string("(closed) ") + context_->errstr);
  }
  RespReply value = ToValue(*static_cast<redisReply*>(reply));
  freeReplyObject(reply);
  return value;
}

RespReply RespClient::Run(const std::vector<std::string>& args) {
  Append(args);
  return ReadReply();
}

std::vector<RespReply> RespClient::RunAll(const std::vector<std::vector<std::string>>& commands) {
  for (const auto& command : commands) Append(command);
  std::vector<RespReply> replies;
  for (size_t i = 0; i < commands.size(); ++i) replies.push_back(ReadReply());
  return replies;
}

RespReply RespClient::RunLine(const std::string& line) { return Run(SplitWords(line)); }

std::vector<std::string> SplitWords(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string InfoField(RespClient* client, const std::string& field) {
  const std::string text = "\r\n" + client->Run({"INFO"}).text;
  const size_t at = text.find("\r\n" + field + ":");
  if (at == std::string::npos) return "";
  const size_t begin = at + field.size() + 3;
  return text.substr(begin, text.find("\r\n", begin) - begin);
}

int64_t InfoNumber(RespClient* client, const std::string& field) {
  const std::string text = InfoField(client, field);
  int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

}  // namespace gub
