// Mutex: a lock that clang's thread-safety analysis and ThreadSanitizer both understand.
//
// Debian's abseil is built without ThreadSanitizer, which therefore does not see absl::Mutex and
// reports whatever it guards as a race; std::mutex it knows.
//
// Lock() looks a moment longer before it sleeps: what is guarded here takes less than a
// microsecond, and putting a thread to sleep and waking it takes many.
//
// Threads:  thread-safe.

#ifndef GUB_BASE_MUTEX_H_
#define GUB_BASE_MUTEX_H_

#include <mutex>

#include "absl/base/thread_annotations.h"

namespace gub {

class ABSL_LOCKABLE Mutex {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() {
    for (int i = 0; i < kLooks; ++i) {
      if (mu_.try_lock()) return;
      Pause();
    }
    mu_.lock();
  }
  // Whether it was free, and is held now.
  bool TryLock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) { return mu_.try_lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mu_.unlock(); }

 private:
  static constexpr int kLooks = 64;  // some tens of nanoseconds each

  // Tells the processor that this is a wait.
  static void Pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
  }

  std::mutex mu_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mu) ABSL_EXCLUSIVE_LOCK_FUNCTION(mu) : mu_(mu) { mu_->Lock(); }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mu_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* const mu_;
};

}  // namespace gub

#endif  // GUB_BASE_MUTEX_H_
