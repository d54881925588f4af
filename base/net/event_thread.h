// EventThread: an event loop on a thread of its own.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <string>
#include <thread>

#include "base/log.h"
#include "base/net/watchdog.h"

namespace statmill {

// Thread-safe: loop(); the rest from one thread. What lives on the loop must be gone before this is.
class EventThread {
 public:
  // Ends the thread: as release() and join().
  ~EventThread();

  boost::asio::io_context& loop() { return loop_; }
  // Runs the loop, also while it is idle. A handler that throws ends the process, with a line that names the
  // thread: one that ended silently would be worse. `log` and `watchdog` must outlive the thread; null:
  // nobody watches the loop.
  void start(Log& log, std::string name, Watchdog* watchdog = nullptr);
  // The thread ends when nothing is left to do.
  void release() { work_.reset(); }
  void join();

 private:
  boost::asio::io_context loop_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ = make_work_guard(loop_);
  std::thread thread_;
};

}  // namespace statmill
