// MainLoop: the event loop of a program's main thread, which waits for the signal to end.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <string>

#include "base/log.h"
#include "base/net/watchdog.h"

namespace statmill {

// Confined to the main thread, except for end(); any thread may post to loop().
class MainLoop {
 public:
  explicit MainLoop(Log& log) : log_(log) {}  // must outlive it

  boost::asio::io_context& loop() { return loop_; }
  // Notifies the service manager that the program is ready, and runs the loop until end(). When the first
  // SIGINT or SIGTERM comes, logs it, notifies the service manager and calls `stop`; later ones have no
  // effect. Logs and ignores SIGHUP. `name` is the loop's name for the watchdog. Call it at most once: end()
  // is final. Requires: prepare_service() (base/program.h) was called before the program's threads started.
  void run(Watchdog& watchdog, std::string name, const std::function<void()>& stop);
  // Thread-safe.
  void end() { loop_.stop(); }

 private:
  Log& log_;
  boost::asio::io_context loop_{1};
};

}  // namespace statmill
