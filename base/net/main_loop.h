// MainLoop: the event loop of a program's main thread, which waits for the signal to end.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "base/ending_signals.h"
#include "base/log.h"
#include "base/net/watchdog.h"

namespace statmill {

// Confined to the main thread, except for end(); any thread may post to loop(). Destroy it last: until then a
// second signal can end a stop that hangs.
class MainLoop {
 public:
  // `log` must outlive it. `second_after`: see EndingSignals.
  explicit MainLoop(Log& log, Duration second_after = kSecondSignalAfter)
      : log_(log), second_after_(second_after) {}

  boost::asio::io_context& loop() { return loop_; }
  // Notifies the service manager that the program is ready, and runs the loop until end(). When the first
  // SIGINT or SIGTERM comes, logs it, notifies the service manager and calls `stop`. From then on until this
  // object is destroyed, a second one ends the process at once (base/ending_signals.h). SIGHUP calls
  // `reload` on the loop; without one, it is logged and ignored. `name` is the loop's name for the watchdog.
  // Call it at most once: end() is final. Requires: prepare_service() (base/program.h) was called before the
  // program's threads started.
  void run(Watchdog& watchdog, std::string name, std::function<void()> stop,
           std::function<void()> reload = {});
  // Makes SIGUSR2 call `save` on the loop; without it, the signal is logged and ignored. Call it before
  // run().
  void save_at_signal(std::function<void()> save) { save_ = std::move(save); }
  // Calls `work` on the loop, unless that ends before. Thread-safe.
  void post(std::function<void()> work);
  // Thread-safe.
  void end() { loop_.stop(); }

 private:
  Log& log_;
  const Duration second_after_;
  boost::asio::io_context loop_{1};
  std::function<void()> save_;            // may be empty
  std::optional<EndingSignals> signals_;  // from run() on
};

}  // namespace statmill
