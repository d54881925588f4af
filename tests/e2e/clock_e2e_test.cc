// A whole server whose wall clock is wrong for a while: nothing is lost, it is told, and an operator can end
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;

constexpr int64_t kYear_s = 365 * 86'400;
constexpr int kOld = 96;

class ClockE2e : public testing::Test {
 protected:
  ClockE2e() {
    set_clock_wrong_by(0);
    ::setenv("WRONG_CLOCK", clock_file().c_str(), 1);
    ::setenv("LD_PRELOAD", STATMILL_WRONG_CLOCK, 1);
  }
  ~ClockE2e() override {
    ::unsetenv("LD_PRELOAD");
    ::unsetenv("WRONG_CLOCK");
  }

  std::string clock_file() const { return (files_.path() / "clock").string(); }
  void set_clock_wrong_by(int64_t seconds) {
    std::fstream file(clock_file(), std::ios::binary | std::ios::in | std::ios::out);
    if (!file) file.open(clock_file(), std::ios::binary | std::ios::out);
    file.write(reinterpret_cast<const char*>(&seconds), sizeof seconds);
  }
  // One sample an hour, over four days.
  void send_old() {
    std::string lines;
    for (int i = 1; i <= kOld; ++i) lines += "old " + std::to_string(now_s_ - i * 3600) + " 1\n";
    server_.send(lines);
    server_.wait_until_durable();
  }
  // How many samples of the series the server tells of the days around the test.
  double count(const std::string& series, int64_t step_s = 10) const {
    const auto answer = boost::json::parse(server_.get(
        "/api/v1/query?stats=count&step=" + std::to_string(step_s) + "&series=" + series +
        "&from=" + std::to_string(now_s_ - 5 * 86'400) + "&until=" + std::to_string(now_s_ + 3600)));
    double sum = 0;
    for (const auto& n : answer.at("series").at(0).at("count").as_array())
      sum += n.is_null() ? 0 : n.to_number<double>();
    return sum;
  }
  void stop() { EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error(); }

  const int64_t now_s_ = unix_seconds(SystemClock().wall());
  TempDirectory files_;
  ServerProcess server_{STATMILL_BIN, {"--flush.interval", "100ms"}};
};

TEST_F(ClockE2e, AStartTenYearsAheadLosesNothing) {
  server_.start();
  send_old();
  stop();
  set_clock_wrong_by(10 * kYear_s);
  server_.start();
  EXPECT_GE(server_.metric("statmill_clock_ahead_s"), 10.0 * kYear_s - 60);
  EXPECT_EQ(http_get(server_.http(), "/readyz").status, 503);
  EXPECT_THAT(http_get(server_.http(), "/readyz").body, HasSubstr("the wall clock is 10y ahead of"));
  server_.wait_until_durable();
  EXPECT_EQ(count("old", 3600), kOld) << "nor does it hide anything";
  stop();
  set_clock_wrong_by(0);
  for (int i = 1; i <= 3; ++i) {
    server_.start();
    EXPECT_EQ(count("old"), kOld);
    server_.send("live 1\n");
    server_.wait_until_durable();
    EXPECT_EQ(server_.cli({"flush", "--compact"}).status, 0);
    EXPECT_EQ(count("live"), i);
    EXPECT_EQ(http_get(server_.http(), "/readyz").status, 200);
    stop();
  }
}

TEST_F(ClockE2e, TwoYearsAheadInARunningServerLosesNothingAndIsTold) {
  server_.start();
  send_old();
  set_clock_wrong_by(2 * kYear_s);
  ASSERT_TRUE(server_.wait_for_metric("statmill_clock_steps_total", 1));
  EXPECT_EQ(http_get(server_.http(), "/readyz").status, 503);
  EXPECT_EQ(server_.cli({"flush", "--compact"}).status, 0);
  set_clock_wrong_by(0);
  ASSERT_TRUE(server_.wait_for_metric("statmill_clock_steps_total", 2));
  EXPECT_EQ(http_get(server_.http(), "/readyz").status, 200);
  EXPECT_EQ(count("old"), kOld);
  EXPECT_THAT(server_.process().standard_error(), HasSubstr("the wall clock stepped by=2y"));
  stop();
}

TEST_F(ClockE2e, AnOperatorsWordIsTakenAtOnceAndWhatGoesIsLogged) {
  server_.start();
  send_old();
  stop();
  set_clock_wrong_by(20 * 86'400);
  server_.start();
  const Ended confirmed = server_.cli({"clock", "confirm"});
  EXPECT_EQ(confirmed.status, 0) << confirmed.said;
  EXPECT_THAT(confirmed.out, HasSubstr("retention goes by the wall clock, which was "));
  EXPECT_TRUE(server_.process().wait_for_line("dropped what is past its retention"));
  EXPECT_EQ(http_get(server_.http(), "/readyz").status, 200);
  EXPECT_EQ(server_.cli({"clock", "set"}).status, 2);
  stop();
}

}  // namespace
}  // namespace statmill
