// A server whose wall clock is wrong for a while: it loses nothing and reports the problem, and an operator
// can confirm the clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>

#include "tests/e2e/agent_host.h"
#include "tests/e2e/agent_ledger.h"
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
  // Sends one sample per hour over four days.
  void send_old() {
    std::string lines;
    for (int i = 1; i <= kOld; ++i) lines += "old " + std::to_string(now_s_ - i * 3600) + " 1\n";
    server_.send(lines);
    server_.wait_until_durable();
  }
  // Returns how many samples the server has of the series from 5 days before the test to 1 hour after it.
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
  EXPECT_GE(server_.metric("statmill_clock_ahead_seconds"), 10.0 * kYear_s - 60);
  EXPECT_EQ(http_get(server_.http(), "/readyz").status, 503);
  EXPECT_THAT(http_get(server_.http(), "/readyz").body, HasSubstr("the wall clock is 10y ahead of"));
  server_.wait_until_durable();
  EXPECT_EQ(count("old", 3600), kOld) << "queries still return the data";
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

TEST_F(ClockE2e, AStepOfTwoYearsInARunningServerLosesNothingAndIsReported) {
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

// The agent's own clock is right throughout.
TEST_F(ClockE2e, AnAgentWaitsForAServerWhoseClockIsWrongAndLosesNothing) {
  server_.start();
  send_old();
  AgentHost host(STATMILL_BIN, "web", {server_.agent()});
  ::unsetenv("LD_PRELOAD");
  host.start();
  std::mt19937_64 random(1);
  ASSERT_TRUE(host.feed(random, 200)) << host.said();
  ASSERT_TRUE(server_.wait_for_metric("statmill_agent_batches_total", 1)) << host.said();
  for (const int64_t by : {2 * kYear_s, -2 * kYear_s}) {
    set_clock_wrong_by(by);
    ASSERT_TRUE(server_.wait_for_metric("statmill_clock_steps_total", by > 0 ? 1 : 3));
    ASSERT_TRUE(host.feed(random, 200)) << host.said();
    const auto refusals = [&] { return server_.metric("statmill_agent_handshake_failures_total"); };
    const double before = refusals();
    EXPECT_TRUE(wait_until([&] { return refusals() > before; }));
    set_clock_wrong_by(0);
    ASSERT_TRUE(server_.wait_for_metric("statmill_clock_steps_total", by > 0 ? 2 : 4));
  }
  EXPECT_EQ(host.stop(), 0) << host.said();
  EXPECT_THAT(host.said(), HasSubstr("it refused (server_clock): the server's clock may be wrong"));
  const Spooled spooled = read_spool(host.spool());
  host.start();
  EXPECT_TRUE(wait_until(
      [&] { return account_of(server_, spooled.agent).durable >= static_cast<double>(spooled.batches); }));
  EXPECT_EQ(host.stop(), 0) << host.said();
  server_.wait_until_durable();
  for (const auto& [series, sum] : host.sent_sums())
    EXPECT_EQ(server_.totals(series)[series].sum, sum) << series;
  EXPECT_EQ(account_of(server_, spooled.agent).gaps, 0);
  EXPECT_EQ(server_.conservation(), "");
  for (const char* reason : {"too_old", "too_new"}) {
    EXPECT_EQ(server_.metric("statmill_samples_refused_total{listener=\"agent\",reason=\"" +
                             std::string(reason) + "\"}"),
              0)
        << reason;
  }
  stop();
}

TEST_F(ClockE2e, AnOperatorsConfirmationAppliesAtOnceAndDroppedDataIsLogged) {
  server_.start();
  send_old();
  stop();
  set_clock_wrong_by(20 * 86'400);
  server_.start();
  const Ended confirmed = server_.cli({"clock", "confirm"});
  EXPECT_EQ(confirmed.status, 0) << confirmed.said;
  EXPECT_THAT(confirmed.out, HasSubstr("retention now uses the wall clock, which was "));
  EXPECT_TRUE(server_.process().wait_for_line("dropped data past their retention"));
  EXPECT_EQ(http_get(server_.http(), "/readyz").status, 200);
  EXPECT_EQ(server_.cli({"clock", "set"}).status, 2);
  stop();
}

}  // namespace
}  // namespace statmill
