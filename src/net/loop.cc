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
  uv_check_init(&loop_, &after_reading_);
  uv_idle_init(&loop_, &awake_);
  after_reading_.data = this;
}

void Loop::Soon(std::function<void()> task) {
  soon_.push_back(std::move(task));
  if (soon_.size() > 1) return;
  uv_check_start(&after_reading_,
                 [](uv_check_t* check) noexcept { static_cast<Loop*>(check->data)->RunSoon(); });
  uv_idle_start(&awake_, [](uv_idle_t*) noexcept {});
}

// What a task adds is for the next turn.
void Loop::RunSoon() {
  std::vector<std::function<void()>> tasks;
  tasks.swap(soon_);
  uv_check_stop(&after_reading_);
  uv_idle_stop(&awake_);
  for (auto& task : tasks) task();
}

Loop::~Loop() {
  CloseMailbox();
  soon_.clear();
  uv_check_stop(&after_reading_);
  uv_idle_stop(&awake_);
  uv_close(reinterpret_cast<uv_handle_t*>(&after_reading_), nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(&awake_), nullptr);
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
