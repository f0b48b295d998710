#include "base/byte_buffer.h"

#include <algorithm>
#include <utility>

namespace gub {

namespace {
constexpr size_t kFirstBytes = 1024;
}  // namespace

ByteBuffer::ByteBuffer(ByteBuffer&& other) noexcept { *this = std::move(other); }

ByteBuffer& ByteBuffer::operator=(ByteBuffer&& other) noexcept {
  bytes_ = std::move(other.bytes_);
  capacity_ = std::exchange(other.capacity_, 0);
  begin_ = std::exchange(other.begin_, 0);
  end_ = std::exchange(other.end_, 0);
  return *this;
}

void ByteBuffer::Trim(size_t max_idle_bytes) {
  if (!empty() || capacity_ <= max_idle_bytes) return;
  bytes_.reset();
  capacity_ = begin_ = end_ = 0;
}

void ByteBuffer::Grow(size_t n) {
  const size_t held = size();
  // Sliding the bytes to the front is enough when at least half of the memory is free then, which
  // keeps the cost of a byte constant.
  if (held + n <= capacity_ && held <= capacity_ / 2) {
    std::memmove(bytes_.get(), data(), held);
  } else {
    const size_t wanted = std::max({held + n, capacity_ * 2, kFirstBytes});
    std::unique_ptr<char[]> larger(new char[wanted]);
    if (held != 0) std::memcpy(larger.get(), data(), held);
    bytes_ = std::move(larger);
    capacity_ = wanted;
  }
  begin_ = 0;
  end_ = held;
}

}  // namespace gub
