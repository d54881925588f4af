// Thread: a thread with a name, which is joined when its owner is destroyed.
//
// EventThread (base/net/event_thread.h) runs event loops. Other threads use this type directly, except the
// pool that answers requests and the threads of replay, which only compute. If the watchdog must see that a
// thread hangs, the thread marks its work with TaskTime::Span.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "base/log.h"

namespace statmill {

// Confined to one thread.
class Thread {
 public:
  // Has no thread.
  Thread() = default;
  // Starts a thread that calls `run`. If `run` throws, logs a line with the name of the thread and aborts the
  // process. `log` must outlive the thread. The kernel shows the first 15 bytes of the name.
  Thread(Log& log, std::string name, std::function<void()> run);
  Thread(Thread&&) = default;
  // Requires: this object has no thread, or it has been joined.
  Thread& operator=(Thread&&) = default;
  // Calls join().
  ~Thread() { join(); }

  // Waits until the thread has ended. Does nothing if there is none, or if it has been joined.
  void join();
  // Returns true from the start of the thread until it has been joined.
  bool is_started() const { return thread_.joinable(); }
  // Sends the signal to this thread. Requires: is_started().
  void signal(int number);

 private:
  std::thread thread_;
};

}  // namespace statmill
