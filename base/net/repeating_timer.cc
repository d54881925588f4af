#include "base/net/repeating_timer.h"

#include <utility>

namespace statmill {

RepeatingTimer::RepeatingTimer(boost::asio::io_context& loop, std::function<Duration()> until_next,
                               std::function<void()> tick)
    : timer_(loop), until_next_(std::move(until_next)), tick_(std::move(tick)) {}

void RepeatingTimer::start() { wait(); }

void RepeatingTimer::stop() {
  is_stopped_ = true;
  timer_.cancel();
}

void RepeatingTimer::wait() {
  timer_.expires_after(until_next_());
  timer_.async_wait([this](const boost::system::error_code&) {
    if (is_stopped_) return;
    tick_();
    if (!is_stopped_) wait();
  });
}

}  // namespace statmill
