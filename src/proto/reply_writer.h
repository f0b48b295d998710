// ReplyWriter: values -> RESP2 or RESP3 bytes at the back of a buffer.
//
// What RESP2 lacks is written as it would be by Redis: a map as a flat array of name, value, …, a
// set or push as an array, a double, big number or verbatim text as a bulk string, a boolean as
// the integer 0 or 1, null as $-1.
//
// Threads:  one at a time.
// Memory:   borrows the buffer.
// Errors:   none; an error or simple string is written in one line, whatever bytes are in it
//           (CR and LF become spaces, as in Redis).

#ifndef GUB_PROTO_REPLY_WRITER_H_
#define GUB_PROTO_REPLY_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/byte_buffer.h"

namespace gub {

enum class RespVersion : uint8_t { k2 = 2, k3 = 3 };

class ReplyWriter {
 public:
  explicit ReplyWriter(ByteBuffer* out) : out_(out) {}

  RespVersion version() const { return version_; }
  // From the next value on.
  void set_version(RespVersion version) { version_ = version; }

  void Ok() { out_->Append("+OK\r\n"); }
  void SimpleString(std::string_view text);
  // `text` starts with its code, such as "ERR " or "OOM ".
  void Error(std::string_view text);
  void Integer(int64_t value);
  void Bulk(std::string_view bytes);
  void Double(double value);
  void Boolean(bool value);
  void Null();
  // A null where an array was expected: *-1 in RESP2.
  void NullArray();
  // Human-readable text, format "txt".
  void VerbatimText(std::string_view text);

  // A header, to be followed by `count` values (Map: by `count` pairs of values).
  void Array(size_t count) { Header('*', count); }
  void Map(size_t count);
  void Set(size_t count);
  void Push(size_t count);

  // [a, b, c], the reply of GUB.HIT, in one step.
  void IntegerTriple(int64_t a, int64_t b, int64_t c);

  ByteBuffer* out() const { return out_; }
  // From the next value on.
  void set_out(ByteBuffer* out) { out_ = out; }

 private:
  void Header(char type, size_t count);

  ByteBuffer* out_;
  RespVersion version_ = RespVersion::k2;
};

}  // namespace gub

#endif  // GUB_PROTO_REPLY_WRITER_H_
