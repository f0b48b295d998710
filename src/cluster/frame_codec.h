// FrameWriter, FrameReader: the numbers and strings that all frames between nodes are made of.
//
// Numbers are variable-length integers, seven bits a byte, lowest first (LEB128); signed ones are
// folded so that small ones of either sign are short (zigzag). Strings are their bytes behind their
// length.
//
// Threads:  one at a time.
// Memory:   what is read borrows from the string it was read from.
// Errors:   once something was wrong everything that is read is 0 or empty, and failed() says so. A
//           number has one form only, so that equal frames are equal bytes.

#ifndef GUB_CLUSTER_FRAME_CODEC_H_
#define GUB_CLUSTER_FRAME_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gub/types.h"

namespace gub {

class FrameWriter {
 public:
  explicit FrameWriter(std::string* out) : out_(*out) {}

  void Number(uint64_t value);
  void Signed(int64_t value);
  void Bytes(std::string_view bytes);
  // A unit of the calendar or ms, and which of them it is.
  void Duration(Period period);

 private:
  std::string& out_;
};

class FrameReader {
 public:
  explicit FrameReader(std::string_view bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  bool at_end() const { return bytes_.empty(); }
  // What was read cannot be.
  void Fail() { failed_ = true; }

  uint64_t Number();
  // Fails for a number above `most`.
  uint64_t NumberUpTo(uint64_t most);
  bool Bool() { return NumberUpTo(1) == 1; }
  int64_t Signed();
  // A number of things, which is never negative.
  int64_t Count();
  std::string_view Bytes(size_t most);
  Period Duration();

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace gub

#endif  // GUB_CLUSTER_FRAME_CODEC_H_
