#include "net/signal_watch.h"

#include <csignal>
#include <utility>

namespace gub {

namespace {

void ChangeMask(int how, const std::vector<int>& signals) {
  sigset_t set;
  sigemptyset(&set);
  for (int number : signals) sigaddset(&set, number);
  pthread_sigmask(how, &set, nullptr);
}

}  // namespace

void HoldSignals(std::initializer_list<int> signals) { ChangeMask(SIG_BLOCK, signals); }

SignalWatch::SignalWatch(Loop* loop, std::initializer_list<int> signals,
                         std::function<void(int)> callback)
    : signals_(signals), callback_(std::move(callback)) {
  for (int number : signals) {
    auto* handle = new Handle{{}, this};
    uv_signal_init(loop->uv(), &handle->signal);
    handle->signal.data = handle;
    const auto call = [](uv_signal_t* signal, int heard) noexcept {
      static_cast<Handle*>(signal->data)->watch->callback_(heard);
    };
    uv_signal_start(&handle->signal, call, number);
    handles_.push_back(handle);
  }
  ChangeMask(SIG_UNBLOCK, signals);
}

SignalWatch::~SignalWatch() { Stop(); }

void SignalWatch::Stop() {
  ChangeMask(SIG_BLOCK, signals_);
  for (Handle* handle : handles_) {
    uv_close(reinterpret_cast<uv_handle_t*>(&handle->signal),
             [](uv_handle_t* closed) noexcept { delete static_cast<Handle*>(closed->data); });
  }
  handles_.clear();
}

}  // namespace gub
