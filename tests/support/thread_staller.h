// ThreadStaller: stops threads of this process for a moment, wherever they are: so every order in which
// threads can come to something comes up sooner or later.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace statmill {

// How often a test is to stop a program: SM_STOPS; else 200 if SM_TIER is `nightly`, a few times if not.
size_t stops_of_environment();

// The threads of this process that run now.
std::vector<pid_t> threads_of_process();

// Stalls threads by a signal whose handler sleeps. Only one at a time in a process; system calls that the
// signal interrupts are begun again where the kernel does that.
class ThreadStaller {
 public:
  // Once in a millisecond it picks one of the threads, and stalls it for some milliseconds. They may end
  // meanwhile.
  ThreadStaller(std::vector<pid_t> threads, uint64_t seed);
  ~ThreadStaller();
  ThreadStaller(const ThreadStaller&) = delete;
  ThreadStaller& operator=(const ThreadStaller&) = delete;

 private:
  void run(uint64_t seed);

  const std::vector<pid_t> threads_;
  std::atomic<bool> is_stopping_{false};  // set by the destructor, read by the thread
  std::thread thread_;                    // last: it uses all of the above
};

}  // namespace statmill
