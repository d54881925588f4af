// SignalLoop: the event loop of the main thread, which waits for signals.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "base/log.h"
#include "base/net/watchdog.h"

namespace statmill {

// Confined to the main thread. Requires: main blocked the signals before it constructed this object
// (base/ending_signals.h).
class SignalLoop {
 public:
  // Must outlive it.
  explicit SignalLoop(Log& log) : log_(log) {}

  boost::asio::io_context& loop() { return loop_; }
  // Runs the loop until SIGINT or SIGTERM comes. Logs and ignores SIGHUP.
  void run(Watchdog& watchdog);

 private:
  void ignore_hangup();

  Log& log_;
  boost::asio::io_context loop_{1};
  boost::asio::signal_set signals_{loop_, SIGINT, SIGTERM};  // registered from the start
  boost::asio::signal_set hangups_{loop_, SIGHUP};
};

}  // namespace statmill
