// EventThread: runs an event loop on a thread of its own.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <string>

#include "base/log.h"
#include "base/net/watchdog.h"
#include "base/thread.h"

namespace statmill {

// loop() is thread-safe; call the other functions from one thread. Objects that use the loop must be
// destroyed before it.
class EventThread {
 public:
  // Calls release() and join().
  ~EventThread();

  boost::asio::io_context& loop() { return loop_; }
  // Starts the thread (base/thread.h), which runs the loop even while it is idle. `log` and `watchdog` must
  // outlive the thread; `watchdog` may be null.
  void start(Log& log, std::string name, Watchdog* watchdog = nullptr);
  // Lets the thread end as soon as the loop has no more work.
  void release() { work_.reset(); }
  void join() { thread_.join(); }

 private:
  boost::asio::io_context loop_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ = make_work_guard(loop_);
  Thread thread_;
};

}  // namespace statmill
