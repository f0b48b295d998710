#include "tests/support/resp_reply.h"

#include <charconv>
#include <ostream>
#include <utility>

namespace gub {
namespace {

using Type = RespReply::Type;

constexpr size_t kMaxShownBytes = 500;

std::string Shown(std::string_view bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string shown;
  for (const char c : bytes.substr(0, kMaxShownBytes)) {
    if (c >= ' ' && c <= '~') {
      shown.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    shown += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
  }
  if (bytes.size() > kMaxShownBytes) shown += "…";
  return shown;
}

std::optional<Type> TypeOf(char c) {
  constexpr std::string_view kBytes = "_+-:$*%~>,#=";
  constexpr Type kTypes[] = {Type::kNil,  Type::kStatus, Type::kError,   Type::kInteger,
                             Type::kBulk, Type::kArray,  Type::kMap,     Type::kSet,
                             Type::kPush, Type::kDouble, Type::kBoolean, Type::kVerbatim};
  const size_t at = kBytes.find(c);
  if (at == kBytes.npos) return std::nullopt;
  return kTypes[at];
}

const char* NameOf(Type type) {
  constexpr const char* kNames[] = {"nil", "status", "error", "integer", "bulk",    "array",
                                    "map", "set",    "push",  "double",  "boolean", "verbatim"};
  return kNames[static_cast<size_t>(type)];
}

RespReply WithText(Type type, std::string text) {
  return {.type = type, .text = std::move(text), .items = {}};
}

}  // namespace

RespReply RespReply::Status(std::string text) { return WithText(Type::kStatus, std::move(text)); }
RespReply RespReply::Error(std::string text) { return WithText(Type::kError, std::move(text)); }
RespReply RespReply::Bulk(std::string text) { return WithText(Type::kBulk, std::move(text)); }

RespReply RespReply::Integer(int64_t value) {
  return {.type = Type::kInteger, .integer = value, .text = {}, .items = {}};
}

RespReply RespReply::Array(std::vector<RespReply> items) {
  return {.type = Type::kArray, .text = {}, .items = std::move(items)};
}

RespReply RespReply::Map(std::vector<RespReply> items) {
  return {.type = Type::kMap, .text = {}, .items = std::move(items)};
}

RespReply RespReply::Integers(std::initializer_list<int64_t> values) {
  std::vector<RespReply> items;
  for (const int64_t value : values) items.push_back(Integer(value));
  return Array(std::move(items));
}

const RespReply* RespReply::Find(std::string_view name) const {
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].text == name) return &items[i + 1];
  }
  return nullptr;
}

bool operator==(const RespReply& a, const RespReply& b) {
  return a.type == b.type && a.integer == b.integer && a.text == b.text && a.items == b.items;
}

void PrintTo(const RespReply& reply, std::ostream* out) {
  switch (reply.type) {
    case Type::kInteger:
    case Type::kBoolean:
      *out << NameOf(reply.type) << " " << reply.integer;
      break;
    case Type::kNil:
      *out << "nil";
      break;
    case Type::kArray:
    case Type::kMap:
    case Type::kSet:
    case Type::kPush: {
      *out << NameOf(reply.type) << " [";
      const char* separator = "";
      for (const RespReply& item : reply.items) {
        *out << std::exchange(separator, ", ");
        PrintTo(item, out);
      }
      *out << "]";
      break;
    }
    default:
      *out << NameOf(reply.type) << " '" << Shown(reply.text) << "'";
  }
}

std::string EncodeCommand(const std::vector<std::string>& args) {
  std::string bytes = "*" + std::to_string(args.size()) + "\r\n";
  for (const std::string& arg : args) {
    bytes += "$" + std::to_string(arg.size()) + "\r\n" + arg + "\r\n";
  }
  return bytes;
}

std::optional<RespReply> ReplyReader::Next() {
  size_t position = position_;
  RespReply reply;
  const bool whole = Read(&position, &reply);
  if (broken_) {
    reply = RespReply::Error("(no RESP) " + Shown(std::string_view(bytes_).substr(position_)));
    position = bytes_.size();
    broken_ = false;
  } else if (!whole) {
    return std::nullopt;
  }
  position_ = position;
  if (position_ == bytes_.size() || position_ > (size_t{1} << 20)) {
    bytes_.erase(0, std::exchange(position_, 0));
  }
  return reply;
}

// Each Read… moves *position behind what it has read, and returns whether it was all there.

bool ReplyReader::Read(size_t* position, RespReply* reply) {
  std::string_view line;
  if (!ReadLine(position, &line)) return false;
  const std::optional<Type> type = line.empty() ? std::nullopt : TypeOf(line[0]);
  if (!type) {
    broken_ = true;
    return false;
  }
  *reply = {.type = *type, .text = {}, .items = {}};
  line.remove_prefix(1);
  switch (*type) {
    case Type::kNil:
      return true;
    case Type::kInteger:
      reply->integer = NumberOf(line);
      return true;
    case Type::kBoolean:
      reply->integer = line == "t" ? 1 : 0;
      return true;
    case Type::kStatus:
    case Type::kError:
    case Type::kDouble:
      reply->text = line;
      return true;
    default:
      return ReadText(position, line, reply);
  }
}

// What has a length: of bytes, or of items.
bool ReplyReader::ReadText(size_t* position, std::string_view line, RespReply* reply) {
  const int64_t length = NumberOf(line);
  if (length < 0) {
    *reply = RespReply::Nil();
    return !broken_;
  }
  const auto size = static_cast<size_t>(length);
  if (reply->type != Type::kBulk && reply->type != Type::kVerbatim) {
    return ReadItems(position, reply->type == Type::kMap ? 2 * size : size, reply);
  }
  if (bytes_.size() < *position + size + 2) return false;
  reply->text = bytes_.substr(*position, size);
  *position += size + 2;
  if (std::string_view(bytes_).substr(*position - 2, 2) != "\r\n") broken_ = true;
  return !broken_;
}

bool ReplyReader::ReadItems(size_t* position, size_t count, RespReply* reply) {
  for (size_t i = 0; i < count; ++i) {
    if (!Read(position, &reply->items.emplace_back())) return false;
  }
  return true;
}

bool ReplyReader::ReadLine(size_t* position, std::string_view* line) const {
  const size_t end = bytes_.find("\r\n", *position);
  if (end == std::string::npos) return false;
  *line = std::string_view(bytes_).substr(*position, end - *position);
  *position = end + 2;
  return true;
}

int64_t ReplyReader::NumberOf(std::string_view line) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc() || end != line.data() + line.size()) broken_ = true;
  return value;
}

}  // namespace gub
