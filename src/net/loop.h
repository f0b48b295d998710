// Loop: one libuv event loop and the thread that runs it.
//
// Threads:  Post from any thread; everything else on the loop's thread (or before Run).
// Memory:   one read buffer and one write buffer a loop, shared by its connections, so that an idle
//           connection holds neither.

#ifndef GUB_NET_LOOP_H_
#define GUB_NET_LOOP_H_

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "base/byte_buffer.h"
#include "base/mutex.h"
#include "uv.h"

namespace gub {

class Loop {
 public:
  static constexpr size_t kReadBytes = 64 * 1024;

  Loop();
  // Runs until what is being closed is closed. REQUIRES: everything but the mailbox is.
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs until CloseMailbox was called and every other handle is closed.
  void Run();

  // Runs `task` on the loop's thread, after what was posted before it. A task that is posted after
  // CloseMailbox is dropped.
  void Post(std::function<void()> task);

  // Runs `task` once what this turn of the loop has read is dealt with, and before the loop sleeps.
  // On the loop's thread only.
  void Soon(std::function<void()> task);

  // Takes no more tasks: with nothing else open, Run returns.
  void CloseMailbox();

  uv_loop_t* uv() { return &loop_; }
  char* read_buffer() { return read_buffer_.get(); }
  // Empty between two uses.
  ByteBuffer& write_buffer() { return write_buffer_; }

 private:
  void RunTasks();
  void RunSoon();

  uv_loop_t loop_;
  uv_async_t mailbox_;
  uv_check_t after_reading_;
  uv_idle_t awake_;  // runs while there is something in soon_, so that the loop does not sleep
  std::vector<std::function<void()>> soon_;
  std::unique_ptr<char[]> read_buffer_;
  ByteBuffer write_buffer_;

  Mutex mu_;
  bool mailbox_open_ ABSL_GUARDED_BY(mu_) = true;
  std::vector<std::function<void()>> tasks_ ABSL_GUARDED_BY(mu_);
};

}  // namespace gub

#endif  // GUB_NET_LOOP_H_
