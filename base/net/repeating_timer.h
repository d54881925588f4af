// RepeatingTimer: calls a function repeatedly on an event loop.
//
// Unlike with a bare timer, the function is never called after stop(): Asio still calls a handler that was
// already due when its timer was cancelled.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "base/clock.h"

namespace statmill {

// Use it only on the thread of its loop. Destroy it only after the loop has stopped running.
class RepeatingTimer {
 public:
  // `until_next` returns the time until the next tick; it is called before each. `tick` may call stop().
  RepeatingTimer(boost::asio::io_context& loop, std::function<Duration()> until_next,
                 std::function<void()> tick);

  // The first tick comes after until_next(). Call it at most once.
  void start();
  // After stop() returns, `tick` is never called, even if it was already due.
  void stop();

 private:
  void wait();

  boost::asio::steady_timer timer_;
  const std::function<Duration()> until_next_;
  const std::function<void()> tick_;
  bool is_stopped_ = false;
};

}  // namespace statmill
