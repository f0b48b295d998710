// ByteBuffer: bytes that come in at the back and leave at the front.
//
// Memory:   grows by doubling, when more than half of it is in use or the new bytes do not fit.
//           Only Trim gives it back.
//           Append and Reserve may move the bytes: views into data() end there.
// Threads:  one at a time.

#ifndef GUB_BASE_BYTE_BUFFER_H_
#define GUB_BASE_BYTE_BUFFER_H_

#include <cassert>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace gub {

class ByteBuffer {
 public:
  ByteBuffer() = default;
  ByteBuffer(ByteBuffer&& other) noexcept;
  ByteBuffer& operator=(ByteBuffer&& other) noexcept;

  const char* data() const { return bytes_.get() + begin_; }
  size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  size_t capacity() const { return capacity_; }
  std::string_view view() const { return {data(), size()}; }

  // Room for n more bytes at the back; Commit says how many of them were written.
  // REQUIRES of Commit: n <= what was reserved.
  char* Reserve(size_t n) {
    if (capacity_ - end_ < n) Grow(n);
    return bytes_.get() + end_;
  }
  void Commit(size_t n) {
    assert(n <= capacity_ - end_);
    end_ += n;
  }

  // REQUIRES: bytes are not the buffer's own.
  void Append(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(Reserve(bytes.size()), bytes.data(), bytes.size());
    Commit(bytes.size());
  }

  // Drops n bytes at the front. REQUIRES: n <= size().
  void Consume(size_t n) {
    assert(n <= size());
    begin_ += n;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  // Drops all bytes but the first n. REQUIRES: n <= size().
  void Truncate(size_t n) {
    assert(n <= size());
    end_ = begin_ + n;
  }
  void Clear() { begin_ = end_ = 0; }

  // Gives back the memory of an empty buffer that is larger than max_idle_bytes.
  void Trim(size_t max_idle_bytes);

 private:
  void Grow(size_t n);

  std::unique_ptr<char[]> bytes_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
};

}  // namespace gub

#endif  // GUB_BASE_BYTE_BUFFER_H_
