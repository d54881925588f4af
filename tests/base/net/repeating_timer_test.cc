#include "base/net/repeating_timer.h"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <thread>

namespace statmill {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

TEST(RepeatingTimer, TicksUntilStoppedByItsTick) {
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

TEST(RepeatingTimer, NeverTicksIfStoppedBeforeTheFirstTick) {
  asio::io_context loop;
  int ticks = 0;
  RepeatingTimer timer(
      loop, [] { return Duration(60'000); }, [&] { ++ticks; });
  timer.start();
  timer.stop();
  loop.run();
  EXPECT_EQ(ticks, 0);
}

// The timer becomes due while stop() is queued before the tick: then the timer can no longer be cancelled.
TEST(RepeatingTimer, DoesNotTickIfStoppedWhenDue) {
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
