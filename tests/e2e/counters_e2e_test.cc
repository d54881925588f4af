// A program that links only the counters library of statmill: its counts arrive at the server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

class CountersE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }
  // Runs examples/requests.cc.
  void run_example(const std::string& address) const {
    Process example({.program = STATMILL_BIN "/example-requests", .arguments = {address}, .environment = {}});
    EXPECT_EQ(example.wait(), 0) << example.standard_error();
    EXPECT_EQ(example.standard_output(), "1000 requests\n");
  }

  const TempDirectory directory_;
  const std::string socket_ = (directory_.path() / "lines").string();
  ServerProcess server_{STATMILL_BIN, {"--line.socket", socket_}};
};

TEST_F(CountersE2e, CountsOfAProgramArriveOverEveryTransport) {
  run_example("tcp:" + server_.line().text());
  run_example("udp:" + server_.line().text());
  run_example("unix:" + socket_);
  ASSERT_TRUE(server_.wait_for_metric("statmill_samples_received_total{listener=\"tcp\"}", 2));
  ASSERT_TRUE(server_.wait_for_metric("statmill_samples_received_total{listener=\"udp\"}", 2));
  ASSERT_TRUE(server_.wait_for_metric("statmill_samples_received_total{listener=\"unix\"}", 2));
  const auto totals = server_.totals("shop.*");
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_EQ(totals.at("shop.requests;code=200").sum, 3000) << "events add up";
  EXPECT_EQ(totals.at("shop.latency_us").count, 3000);
  EXPECT_EQ(totals.at("shop.latency_us").sum, 3 * 500'500);
}

}  // namespace
}  // namespace statmill
