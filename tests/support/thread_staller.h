// ThreadStaller: briefly stops threads of this process at random places, so that sooner or later every
// interleaving occurs.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace statmill {

// How often a test should stop a program: SM_STOPS if set; otherwise 200 if SM_TIER is `nightly`, else a few
// times.
size_t stops_of_environment();

// Returns the ids of the threads of this process.
std::vector<pid_t> threads_of_process();

// Stalls threads by a signal whose handler sleeps. At most one may exist per process. System calls that the
// signal interrupts are restarted where the kernel supports that.
class ThreadStaller {
 public:
  // Once per millisecond, picks one of the threads and stalls it for some milliseconds. Threads may end
  // meanwhile.
  ThreadStaller(std::vector<pid_t> threads, uint64_t seed);
  ~ThreadStaller();
  ThreadStaller(const ThreadStaller&) = delete;
  ThreadStaller& operator=(const ThreadStaller&) = delete;

 private:
  void run(uint64_t seed);

  const std::vector<pid_t> threads_;
  std::atomic<bool> is_stopping_{false};  // set by the destructor, read by the thread
  std::thread thread_;                    // last, because it uses all members above
};

}  // namespace statmill
