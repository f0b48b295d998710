#include "net/loop.h"

#include <cstdlib>
#include <utility>

namespace gub {

Loop::Loop() : read_buffer_(new char[kReadBytes]) {
  // Both fail only when the process is out of descriptors or memory at its start.
  if (uv_loop_init(&loop_) != 0) std::abort();
  mailbox_.data = this;
  const int error = uv_async_init(&loop_, &mailbox_, [](uv_async_t* handle) noexcept {
    static_cast<Loop*>(handle->data)->RunTasks();
  });
  if (error != 0) std::abort();
}

Loop::~Loop() {
  CloseMailbox();
  uv_run(&loop_, UV_RUN_DEFAULT);
  uv_loop_close(&loop_);
}

void Loop::Run() { uv_run(&loop_, UV_RUN_DEFAULT); }

void Loop::Post(std::function<void()> task) {
  MutexLock lock(&mu_);
  if (!mailbox_open_) return;
  tasks_.push_back(std::move(task));
  uv_async_send(&mailbox_);
}

void Loop::CloseMailbox() {
  MutexLock lock(&mu_);
  if (!mailbox_open_) return;
  mailbox_open_ = false;
  tasks_.clear();
  uv_close(reinterpret_cast<uv_handle_t*>(&mailbox_), nullptr);
}

void Loop::RunTasks() {
  std::vector<std::function<void()>> tasks;
  {
    MutexLock lock(&mu_);
    tasks.swap(tasks_);
  }
  for (auto& task : tasks) task();
}

}  // namespace gub
