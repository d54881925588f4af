// The command line with a running server: put, query, ls, status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class CliE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0);
  }
  Ended cli(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--server", "http://" + server_.http().text()});
    return server_.cli(std::move(arguments));
  }

  ServerProcess server_{STATMILL_BIN};
};

TEST_F(CliE2e, PutsAndQueries) {
  const std::string now = std::to_string(std::time(nullptr));  // one slot for both
  EXPECT_EQ(cli({"put", "shop.orders", "3", now}).status, 0);
  EXPECT_EQ(cli({"put", "shop.orders", "-5", now}).status, 0);
  const Ended csv = cli({"query", "shop.orders", "--from", "-1m", "--stats", "sum,count", "--format", "csv"});
  EXPECT_EQ(csv.status, 0) << csv.said;
  EXPECT_THAT(csv.out, HasSubstr("shop.orders,"));
  EXPECT_THAT(csv.out, HasSubstr("-2,2"));
  EXPECT_THAT(cli({"query", "shop.*", "--from", "-1m", "--format", "json"}).out,
              HasSubstr("\"kind\":\"gauge\""));
  EXPECT_THAT(cli({"query", "shop.*", "--from", "-1m"}).out, HasSubstr("shop.orders"));
}

TEST_F(CliE2e, ListsAndShowsStatus) {
  cli({"put", "*shop.visits", "1"});
  EXPECT_THAT(cli({"ls", "shop.*"}).out, HasSubstr("shop.visits"));
  EXPECT_THAT(cli({"status"}).out, HasSubstr("0.1.0"));
}

TEST_F(CliE2e, ReportsErrorsAndExitsWithTheirStatus) {
  const Ended refused = cli({"put", "shop.orders", "nan"});
  EXPECT_EQ(refused.status, 8);
  EXPECT_THAT(refused.said, HasSubstr("not_finite"));
  const Ended unknown = cli({"query", "no.such.series"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.said, HasSubstr("no.such.series"));
  EXPECT_EQ(cli({"frobnicate"}).status, 2);
}

}  // namespace
}  // namespace statmill
