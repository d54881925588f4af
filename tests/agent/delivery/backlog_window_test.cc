#include "agent/delivery/backlog_window.h"

#include <gtest/gtest.h>

#include <deque>
#include <utility>

namespace statmill {
namespace {

using std::chrono::milliseconds;

// A link that carries `rate` bytes per millisecond, to a server that needs `answer` for an acknowledgment.
// Sends for a minute in pieces of 1000 bytes, and returns how long the last ones waited, and the bytes sent.
struct Outcome {
  Duration waited{};
  size_t bytes = 0;
};
Outcome send_for_a_minute(size_t rate, Duration answer) {
  constexpr size_t kPiece = 1000;
  BacklogWindow window(BacklogWindow::kBytesMin);
  std::deque<std::pair<SteadyTime, SteadyTime>> waiting;  // sent and acknowledged at
  Outcome outcome;
  SteadyTime free_at{};
  for (SteadyTime now{}; now < SteadyTime(std::chrono::minutes(1)); now += milliseconds(1)) {
    for (; !waiting.empty() && waiting.front().second <= now; waiting.pop_front()) {
      window.acknowledged(kPiece, now);
      outcome.waited = std::chrono::duration_cast<Duration>(now - waiting.front().first);
    }
    while (window.has_room()) {
      free_at = std::max(free_at, now) + std::chrono::microseconds(1000 * kPiece / rate);
      waiting.emplace_back(now, free_at + answer);
      window.sent(kPiece, now);
      outcome.bytes += kPiece;
    }
  }
  return outcome;
}

TEST(BacklogWindow, FillsALinkWithoutALongQueue) {
  for (const size_t rate : {10U, 100U, 1000U, 10'000U}) {
    for (const Duration answer : {milliseconds(100), milliseconds(300), milliseconds(1000)}) {
      const Outcome outcome = send_for_a_minute(rate, answer);
      EXPECT_LE(outcome.waited, answer + milliseconds(4000)) << rate << " " << answer.count();
      EXPECT_GE(outcome.bytes, rate * 60'000 / 2) << rate << " " << answer.count();
    }
  }
}

TEST(BacklogWindow, AlwaysHasRoomForOneBatch) {
  BacklogWindow window(100);
  window.sent(1000, SteadyTime());
  EXPECT_FALSE(window.has_room());
  window.acknowledged(1000, SteadyTime(milliseconds(1)));
  EXPECT_TRUE(window.has_room());
}

TEST(BacklogWindow, ItsLimitIsBounded) {
  BacklogWindow window(100);
  SteadyTime now{};
  const auto send_all = [&](Duration time) {
    const size_t bytes = window.limit();
    window.sent(bytes, now);
    now += time;
    window.acknowledged(bytes, now);
  };
  for (int i = 0; i < 30; ++i) send_all(milliseconds(5));
  EXPECT_EQ(window.limit(), BacklogWindow::kBytesMax);
  send_all(milliseconds(1006));
  EXPECT_EQ(window.limit(), BacklogWindow::kBytesMax) << "neither quick nor slow";
  for (int i = 0; i < 30; ++i) send_all(milliseconds(2006));
  EXPECT_EQ(window.limit(), 100U);
}

TEST(BacklogWindow, ChangesWhenAllThatItAllowsIsAcknowledged) {
  BacklogWindow window(100);
  for (int i = 0; i < 10; ++i) window.sent(10, SteadyTime());
  for (int i = 0; i < 9; ++i) window.acknowledged(10, SteadyTime(milliseconds(5)));
  EXPECT_EQ(window.limit(), 100U);
  window.acknowledged(10, SteadyTime(milliseconds(5)));
  EXPECT_EQ(window.limit(), 200U);
}

}  // namespace
}  // namespace statmill
