// RespReply: one reply of a server as a value that compares and prints well; and ReplyReader, which
// reads such values, of RESP2 and RESP3, from bytes.
//
// Threads:  plain values.

#ifndef GUB_TESTS_SUPPORT_RESP_REPLY_H_
#define GUB_TESTS_SUPPORT_RESP_REPLY_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gub {

struct RespReply {
  enum class Type {
    kNil,
    kStatus,
    kError,
    kInteger,
    kBulk,
    kArray,
    // RESP3
    kMap,
    kSet,
    kPush,
    kDouble,
    kBoolean,
    kVerbatim,
  };

  Type type = Type::kNil;
  int64_t integer = 0;           // kInteger, kBoolean
  std::string text;              // kStatus, kError, kBulk, kDouble, kVerbatim ("txt:" and the text)
  std::vector<RespReply> items;  // kArray, kSet, kPush; kMap: name, value, name, value, …

  static RespReply Nil() { return {}; }
  static RespReply Status(std::string text);
  static RespReply Error(std::string text);
  static RespReply Integer(int64_t value);
  static RespReply Bulk(std::string text);
  static RespReply Array(std::vector<RespReply> items);
  static RespReply Map(std::vector<RespReply> items);
  static RespReply Integers(std::initializer_list<int64_t> values);

  bool IsError() const { return type == Type::kError; }

  // The value behind `name` in a map, or in an array that is one in RESP2; nullptr: none.
  const RespReply* Find(std::string_view name) const;
};

bool operator==(const RespReply& a, const RespReply& b);
void PrintTo(const RespReply& reply, std::ostream* out);

// A request as every client sends it: an array of bulk strings.
std::string EncodeCommand(const std::vector<std::string>& args);

class ReplyReader {
 public:
  void Feed(std::string_view bytes) { bytes_.append(bytes); }

  // The next whole reply; nothing until the rest of it is fed. Bytes that are no RESP become an
  // error reply "(no RESP) …", and all of them are dropped.
  std::optional<RespReply> Next();

  // Nothing is left over.
  bool empty() const { return position_ == bytes_.size(); }

 private:
  bool Read(size_t* position, RespReply* reply);
  bool ReadLine(size_t* position, std::string_view* line) const;
  bool ReadText(size_t* position, std::string_view line, RespReply* reply);
  bool ReadItems(size_t* position, size_t count, RespReply* reply);
  int64_t NumberOf(std::string_view line);

  std::string bytes_;
  size_t position_ = 0;
  bool broken_ = false;
};

}  // namespace gub

#endif  // GUB_TESTS_SUPPORT_RESP_REPLY_H_
