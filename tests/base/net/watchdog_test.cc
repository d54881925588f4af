#include "base/net/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include "tests/support/manual_clock.h"

namespace statmill {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class WatchdogTest : public testing::Test {
 protected:
  // Lets `time` pass and calls look() every 100 ms.
  void look_for(Duration time) {
    for (Duration passed(0); passed < time; passed += options_.look) {
      clock_.advance(options_.look);
      watchdog_.look();
    }
  }
  // Runs all handlers that are due.
  void run() {
    loop_.restart();
    loop_.poll();
  }
  // Runs a handler of this name that holds the loop for `time`, while the watchdog looks.
  void hold(const char* name, Duration time) {
    look_for(options_.ping);
    const Running running(name);
    look_for(time);
  }
  std::string problem(const std::string& part) { return problems_.contains(part) ? problems_.at(part) : ""; }
  std::string warning(const std::string& part) { return warnings_.contains(part) ? warnings_.at(part) : ""; }

  const WatchdogOptions options_;
  ManualClock clock_;
  Log log_{LogLevel::kInfo};
  std::vector<int64_t> lags_ms_;
  Watchdog::Parts problems_;
  Watchdog::Parts warnings_;
  Watchdog watchdog_{
      options_,
      {clock_, log_,
       [this](std::string_view, std::chrono::nanoseconds lag) {
         lags_ms_.push_back(std::chrono::floor<milliseconds>(lag).count());
       },
       [this](std::string_view part, const std::string& text) { set(problems_, part, text); },
       [this](std::string_view part, const std::string& text) { set(warnings_, part, text); }}};
  boost::asio::io_context loop_;

 private:
  static void set(Watchdog::Parts& parts, std::string_view part, const std::string& text) {
    if (text.empty()) {
      parts.erase(std::string(part));
    } else {
      parts[std::string(part)] = text;
    }
  }
};

TEST_F(WatchdogTest, IdleLoopHasNoLag) {
  const LoopWatch watch(&watchdog_, loop_, "http");
  for (int i = 0; i < 20; ++i) {
    look_for(options_.look);
    run();
  }
  EXPECT_GE(lags_ms_.size(), 5U);
  EXPECT_THAT(lags_ms_, testing::Each(0));
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(WatchdogTest, WarnsOfAHandlerThatHoldsALoop) {
  const LoopWatch watch(&watchdog_, loop_, "http");
  hold("/api/v1/lines", milliseconds(300));
  EXPECT_THAT(warning("loop.http"), HasSubstr("held for 0.")) << "while the handler runs";
  run();
  look_for(options_.look);
  EXPECT_THAT(warning("loop.http"), HasSubstr("by /api/v1/lines"));
  EXPECT_THAT(problems_, IsEmpty());
  EXPECT_TRUE(watchdog_.makes_progress());
  for (Duration passed(0); passed <= options_.warned; passed += options_.look) {
    look_for(options_.look);
    run();
  }
  EXPECT_THAT(warnings_, IsEmpty()) << "the warning ends";
}

TEST_F(WatchdogTest, WarnsOfAHandlerThatEndedBeforeTheLook) {
  const LoopWatch watch(&watchdog_, loop_, "http");
  hold("a slow one", milliseconds(100));
  clock_.advance(milliseconds(50));
  run();  // the ping is 150 ms late, and no handler is running any more
  look_for(options_.look);
  EXPECT_THAT(lags_ms_, testing::Contains(testing::Ge(150)));
  EXPECT_THAT(warning("loop.http"), HasSubstr("by a slow one"));
}

TEST_F(WatchdogTest, HangingLoopIsAProblemAndNoProgress) {
  const LoopWatch watch(&watchdog_, loop_, "line");
  hold("lines of a connection", options_.hang + seconds(1));
  EXPECT_THAT(problem("loop.line"), StartsWith("event loop line held for "));
  EXPECT_THAT(problem("loop.line"), HasSubstr("by lines of a connection"));
  EXPECT_FALSE(watchdog_.makes_progress());
  run();
  look_for(options_.look);
  EXPECT_THAT(problems_, IsEmpty());
  EXPECT_TRUE(watchdog_.makes_progress());
}

TEST_F(WatchdogTest, IgnoresRemovedLoops) {
  {
    const LoopWatch watch(&watchdog_, loop_, "line");
    look_for(seconds(1));
  }
  look_for(seconds(60));
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(WatchdogTest, BusyPoolIsAWarningAndNeverAProblem) {
  const auto pool = watchdog_.add_pool(loop_.get_executor(), "http.store");
  look_for(options_.hang + seconds(3));
  EXPECT_THAT(warning("loop.http.store"), StartsWith("all threads of http.store busy for 4."));
  EXPECT_THAT(problems_, IsEmpty());
  EXPECT_TRUE(watchdog_.makes_progress()) << "jobs may take long";
  run();
  look_for(options_.look);
  EXPECT_THAT(lags_ms_, testing::ElementsAre(testing::Ge(4000)));
  watchdog_.remove(pool);
}

TEST_F(WatchdogTest, HangingTaskIsAProblemUntilItEnds) {
  TaskTime tick;
  watchdog_.add_task("tick", tick);
  look_for(seconds(10));
  EXPECT_THAT(problems_, IsEmpty()) << "no task is running";
  {
    const TaskTime::Span span(tick, clock_.steady());
    const Running running("the write to the store");
    look_for(options_.hang);
    EXPECT_THAT(problems_, IsEmpty()) << "not longer than the limit";
    look_for(seconds(10));
    EXPECT_EQ(tick.age(clock_.steady()), seconds(12));
    EXPECT_EQ(problem("tick"), "under way for 12.0 s and not done, at: the write to the store");
    EXPECT_TRUE(watchdog_.makes_progress()) << "a restart does not repair a disk";
    look_for(options_.task_patience);
    EXPECT_FALSE(watchdog_.makes_progress()) << "the task is given up";
  }
  look_for(options_.look);
  EXPECT_THAT(problems_, IsEmpty());
  EXPECT_TRUE(watchdog_.makes_progress());
  EXPECT_EQ(tick.age(clock_.steady()), seconds(0));
}

TEST_F(WatchdogTest, LooksAtATaskUntilItIsRemoved) {
  const SteadyTime begin = clock_.steady();
  {
    const TaskWatch watch(watchdog_, "queries", [begin](SteadyTime now) -> Watchdog::TaskState {
      return {now - begin, "query 7"};
    });
    look_for(seconds(5));
    EXPECT_EQ(problem("queries"), "under way for 4.9 s and not done, at: query 7") << "since the first look";
  }
  look_for(options_.look);
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(WatchdogTest, BlamesNoHandlerAfterTheProcessWasStopped) {
  const LoopWatch watch(&watchdog_, loop_, "http");
  TaskTime tick;
  watchdog_.add_task("tick", tick);
  const TaskTime::Span span(tick, clock_.steady());
  look_for(options_.ping);
  clock_.advance(std::chrono::hours(1));
  watchdog_.look();
  run();
  look_for(seconds(1));
  run();
  look_for(seconds(1));
  EXPECT_THAT(problems_, IsEmpty());
  EXPECT_TRUE(watchdog_.makes_progress());
}

TEST_F(WatchdogTest, LogsAHangOnceAndItsEndOnce) {
  TaskTime tick;
  watchdog_.add_task("tick", tick);
  testing::internal::CaptureStderr();
  {
    const TaskTime::Span span(tick, clock_.steady());
    look_for(seconds(30));
  }
  look_for(seconds(30));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("error hangs what=tick"));
  EXPECT_THAT(said, HasSubstr("info recovered what=tick"));
  EXPECT_EQ(said.find("hangs what=tick"), said.rfind("hangs what=tick")) << said;
}

TEST(Running, RestoresThePreviousName) {
  ThreadActivity activity{nullptr};
  thread_activity = &activity;
  {
    const Running outer("outer");
    {
      const Running inner("inner");
      EXPECT_STREQ(activity.load(), "inner");
    }
    EXPECT_STREQ(activity.load(), "outer");
  }
  EXPECT_EQ(activity.load(), nullptr);
  thread_activity = nullptr;
  const Running nobody("a thread that nobody watches");
}

}  // namespace
}  // namespace statmill
