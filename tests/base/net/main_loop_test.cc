#include "base/net/main_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/program.h"
#include "tests/support/manual_clock.h"
#include "tests/support/notify_socket.h"
#include "tests/support/sockets.h"

namespace statmill {
namespace {

namespace asio = boost::asio;
using testing::ElementsAre;
using testing::HasSubstr;

void send_signal(int number) { SM_CHECK(::kill(::getpid(), number) == 0); }

size_t count_of(const std::string& part, const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The process is prepared like a program that is about to start its threads.
class MainLoopTest : public testing::Test {
 protected:
  MainLoopTest() {
    SM_CHECK(::pthread_sigmask(SIG_BLOCK, nullptr, &mask_before_) == 0);
    SM_CHECK(::setenv("NOTIFY_SOCKET", systemd_.path().c_str(), 1) == 0);
    prepare_service();
  }
  ~MainLoopTest() override {
    ::unsetenv("NOTIFY_SOCKET");
    drop_pending_signals();
    SM_CHECK(::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr) == 0);
  }

  void post(std::function<void()> call) { asio::post(main_.loop(), std::move(call)); }
  // Sends the signals, each after the loop has handled the one before, then calls `done`. Call it on the
  // loop.
  void send_in_turn(std::vector<int> numbers, std::function<void()> done) {
    if (numbers.empty()) return done();
    // Asio passes a signal to all sets at the same time: what this one posts runs after MainLoop's handler.
    const auto arrival = std::make_shared<asio::signal_set>(main_.loop(), numbers.front());
    arrival->async_wait([this, arrival, rest = std::vector(numbers.begin() + 1, numbers.end()),
                         done = std::move(done)](const boost::system::error_code& error, int) {
      if (!error) post([this, rest, done] { send_in_turn(rest, done); });
    });
    send_signal(numbers.front());
  }
  // Runs the loop and returns what was logged. If nothing ends the loop, the test fails.
  std::string run(const std::function<void()>& stop) {
    asio::steady_timer patience(main_.loop(), kSocketTimeout);
    patience.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      ADD_FAILURE() << "nothing has ended the loop";
      main_.end();
    });
    testing::internal::CaptureStderr();
    main_.run(watchdog_, "main", stop);
    return testing::internal::GetCapturedStderr();
  }
  // Runs the loop until `stop` ends it, and expects that the signal of this name has called `stop`.
  void expect_stop(const std::string& name) {
    bool is_announced = false;
    const std::string said = run([&] {
      is_announced = systemd_.wait_for("STOPPING=1");
      log_.info("the call of stop");
      main_.end();
    });
    EXPECT_TRUE(is_announced);
    EXPECT_THAT(said, HasSubstr("info stopping signal=" + name));
    EXPECT_EQ(count_of("info the call of stop", said), 1U);
    EXPECT_LT(said.find("stopping"), said.find("the call of stop"));
  }

  const NotifySocket systemd_;
  Log log_{LogLevel::kInfo};
  ManualClock clock_;
  std::vector<std::string> answers_;  // the names of the loops that have answered a ping
  Watchdog watchdog_{
      WatchdogOptions(),
      {clock_, log_, [this](std::string_view loop, std::chrono::nanoseconds) { answers_.emplace_back(loop); },
       [](std::string_view, const std::string&) {}, [](std::string_view, const std::string&) {}}};
  MainLoop main_{log_};

 private:
  static void drop_pending_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
    const timespec no_wait{};
    while (::sigtimedwait(&signals, nullptr, &no_wait) > 0) {
    }
  }

  sigset_t mask_before_;
};

TEST_F(MainLoopTest, RunsWhatAnyThreadPostsUntilAnyThreadEndsIt) {
  std::promise<std::thread::id> ran_on;
  std::thread::id id;
  std::thread other([&] {
    post([&] { ran_on.set_value(std::this_thread::get_id()); });
    id = ran_on.get_future().get();
    main_.end();
  });
  run([] { FAIL() << "there was no signal"; });
  other.join();
  EXPECT_EQ(id, std::this_thread::get_id());
}

TEST_F(MainLoopTest, EndIsFinal) {
  main_.end();
  post([] { FAIL() << "the loop runs again"; });
  run([] {});
}

TEST_F(MainLoopTest, TheServiceManagerIsNotifiedBeforeTheLoopRuns) {
  bool is_ready = false;
  post([&] {
    is_ready = systemd_.wait_for("READY=1");
    main_.end();
  });
  run([] {});
  EXPECT_TRUE(is_ready);
}

TEST_F(MainLoopTest, SigtermIsLoggedAndAnnouncedAndCallsStop) {
  post([] { send_signal(SIGTERM); });
  expect_stop("SIGTERM");
}

TEST_F(MainLoopTest, SigintIsLoggedAndAnnouncedAndCallsStop) {
  post([] { send_signal(SIGINT); });
  expect_stop("SIGINT");
}

TEST_F(MainLoopTest, ASignalBeforeRunIsNotLost) {
  send_signal(SIGTERM);
  expect_stop("SIGTERM");
}

TEST_F(MainLoopTest, LaterSignalsHaveNoEffect) {
  int stops = 0;
  post([&] { send_in_turn({SIGINT, SIGTERM, SIGINT}, [&] { main_.end(); }); });
  const std::string said = run([&] { ++stops; });
  send_signal(SIGTERM);  // after the loop has ended
  EXPECT_EQ(stops, 1);
  EXPECT_EQ(count_of("stopping", said), 1U) << said;
}

TEST_F(MainLoopTest, EachSighupIsLoggedAndIgnored) {
  post([&] { send_in_turn({SIGHUP, SIGHUP}, [&] { main_.end(); }); });
  const std::string said = run([] { FAIL() << "SIGHUP is not a signal to end"; });
  EXPECT_EQ(count_of("warn SIGHUP is ignored", said), 2U) << said;
}

TEST_F(MainLoopTest, TheWatchdogWatchesTheLoopByNameWhileItRuns) {
  const auto look = [&] {
    clock_.advance(WatchdogOptions().ping);
    watchdog_.look();
  };
  post([&] {
    look();  // pings
    post([&] {
      look();  // reads the answer
      main_.end();
    });
  });
  run([] {});
  EXPECT_THAT(answers_, ElementsAre("main"));
  for (int i = 0; i < 100; ++i) look();
  EXPECT_TRUE(watchdog_.makes_progress()) << "a loop that has ended does not hang";
}

}  // namespace
}  // namespace statmill
