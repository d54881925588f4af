#include "base/net/main_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/program.h"
#include "tests/support/manual_clock.h"
#include "tests/support/notify_socket.h"
#include "tests/support/process.h"
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
  // Sends the signals, each after the one before was received, and returns when all of them were handled.
  // Call it while the loop runs: one thread receives them.
  static void send_in_turn(std::vector<int> numbers) {
    numbers.push_back(SIGHUP);  // once it is received, those before it are handled
    for (const int number : numbers) {
      send_signal(number);
      SM_CHECK(wait_until([number] { return !is_pending(number); }));
    }
  }
  static bool is_pending(int number) {
    sigset_t pending;
    SM_CHECK(::sigpending(&pending) == 0);
    return sigismember(&pending, number) == 1;
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
  MainLoop main_{log_, kNever};

 private:
  static constexpr Duration kNever = std::chrono::hours(1);

  static void drop_pending_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR2}) sigaddset(&signals, number);
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

TEST_F(MainLoopTest, LaterSignalsHaveNoEffectWithinTheFirstSecond) {
  int stops = 0;
  post([&] {
    send_in_turn({SIGINT, SIGTERM, SIGINT});
    post([&] { main_.end(); });
  });
  const std::string said = run([&] { ++stops; });
  send_in_turn({SIGTERM});  // after the loop has ended
  EXPECT_EQ(stops, 1);
  EXPECT_EQ(count_of("stopping", said), 1U) << said;
}

TEST_F(MainLoopTest, EachSighupIsLoggedAndIgnored) {
  post([&] {
    send_in_turn({SIGHUP, SIGHUP});  // and one more, which may be logged later
    main_.end();
  });
  const std::string said = run([] { FAIL() << "SIGHUP is not a signal to end"; });
  EXPECT_GE(count_of("warn SIGHUP is ignored", said), 2U) << said;
}

TEST_F(MainLoopTest, EachSigusr2CallsSaveOnTheLoop) {
  int saves = 0;
  main_.save_at_signal([&] {
    if (++saves < 2) return send_signal(SIGUSR2);
    main_.end();
  });
  post([] { send_signal(SIGUSR2); });
  run([] { FAIL() << "SIGUSR2 is not a signal to end"; });
  EXPECT_EQ(saves, 2);
}

TEST_F(MainLoopTest, Sigusr2WithoutAnActionIsLoggedAndIgnored) {
  post([&] {
    send_in_turn({SIGUSR2});
    main_.end();
  });
  EXPECT_THAT(run([] { FAIL() << "SIGUSR2 is not a signal to end"; }), HasSubstr("warn SIGUSR2 is ignored"));
}

using MainLoopDeathTest = MainLoopTest;

TEST_F(MainLoopDeathTest, ALaterSignalEndsTheProcessAtOnceWhileTheLoopIsHeldAndAfterItHasEnded) {
  for (const bool is_loop_over : {false, true}) {
    EXPECT_EXIT(
        {
          ::alarm(static_cast<unsigned>(kProcessTimeout.count()));
          MainLoop main(log_, Duration(0));
          const auto hang = [] {
            send_signal(SIGINT);
            while (true) ::pause();  // until the alarm
          };
          asio::post(main.loop(), [] { send_signal(SIGTERM); });
          main.run(watchdog_, "main", [&] {
            if (!is_loop_over) hang();
            main.end();
          });
          hang();
        },
        testing::ExitedWithCode(1), ": second SIGINT: ends at once; what is not on disk yet is lost\n");
  }
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
