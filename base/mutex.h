// Mutex: a std::mutex that clang's thread-safety analysis understands (that of libstdc++ is not annotated).
//
// Every field that a Mutex protects is marked GUARDED_BY; clang builds reject access without the lock.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define SM_TSA(x) __attribute__((x))
#else
#define SM_TSA(x)
#endif
#define GUARDED_BY(x) SM_TSA(guarded_by(x))
#define REQUIRES(...) SM_TSA(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) SM_TSA(locks_excluded(__VA_ARGS__))
#define UNCHECKED_LOCKING SM_TSA(no_thread_safety_analysis)  // for functions that lock mutexes without a name

namespace statmill {

class SM_TSA(capability("mutex")) Mutex {
 public:
  void lock() SM_TSA(acquire_capability()) { mutex_.lock(); }
  void unlock() SM_TSA(release_capability()) { mutex_.unlock(); }
  // Informs the analysis where it cannot see the lock. Requires: the calling thread holds the mutex.
  void held() const SM_TSA(assert_capability(this)) {}

 private:
  friend class Condition;
  std::mutex mutex_;
};

class SM_TSA(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) SM_TSA(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() SM_TSA(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// A condition variable for Mutex. Waits may wake up spuriously: call them in a loop that checks the
// condition.
class Condition {
 public:
  void notify_all() { condition_.notify_all(); }

  void wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }

  template <class Duration>
  void wait_for(Mutex& mutex, Duration timeout) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait_for(lock, timeout);
    lock.release();
  }

 private:
  std::condition_variable condition_;
};

}  // namespace statmill
