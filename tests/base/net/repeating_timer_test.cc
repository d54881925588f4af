// What comes again and again, and what has been stopped and comes no more.
#include "base/net/repeating_timer.h"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <thread>

namespace statmill {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

TEST(RepeatingTimer, TicksUntilItStopsItself) {
  asio::io_context loop;
  int ticks = 0;
  int asked = 0;
  RepeatingTimer timer(
      loop,
      [&] {
        ++asked;
        return Duration(1);
      },
      [&] {
        if (++ticks == 3) timer.stop();
      });
  timer.start();
  loop.run();
  EXPECT_EQ(ticks, 3);
  EXPECT_EQ(asked, 3);
}

TEST(RepeatingTimer, StoppedBeforeItsFirstTickItNeverTicks) {
  asio::io_context loop;
  int ticks = 0;
  RepeatingTimer timer(
      loop, [] { return Duration(60'000); }, [&] { ++ticks; });
  timer.start();
  timer.stop();
  loop.run();
  EXPECT_EQ(ticks, 0);
}

// The loop finds the timer due while stop() waits for its turn, before the tick: no timer can be cancelled
// then.
TEST(RepeatingTimer, StoppedWhenItIsDueItDoesNotTick) {
  asio::io_context loop;
  int ticks = 0;
  RepeatingTimer timer(
      loop, [] { return Duration(1); },
      [&] {
        ++ticks;
        loop.stop();
      });
  timer.start();
  asio::post(loop, [&] {
    std::this_thread::sleep_for(milliseconds(5));  // until it is due
    asio::post(loop, [&] { timer.stop(); });
  });
  loop.run();
  EXPECT_EQ(ticks, 0);
}

}  // namespace
}  // namespace statmill
