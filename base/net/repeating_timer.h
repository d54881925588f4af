// RepeatingTimer: calls a function again and again on an event loop, until it is stopped; then never again.
//
// A timer alone does not promise that: a handler that is due is called even if the timer is cancelled before
// its turn has come.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "base/clock.h"

namespace statmill {

// Confined to the thread of its loop. Destroy it only when that runs no more.
class RepeatingTimer {
 public:
  // `until_next`: how long from now to the next tick, asked after each; `tick` may stop().
  RepeatingTimer(boost::asio::io_context& loop, std::function<Duration()> until_next,
                 std::function<void()> tick);

  // The first tick comes after until_next(). Called once at most.
  void start();
  void stop();

 private:
  void wait();

  boost::asio::steady_timer timer_;
  const std::function<Duration()> until_next_;
  const std::function<void()> tick_;
  bool is_stopped_ = false;
};

}  // namespace statmill
