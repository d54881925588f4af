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

TEST_F(CliE2e, NamesSeriesThatAreSimilarToOneThatDoesNotExist) {
  EXPECT_EQ(cli({"put", "shop.orders;page=cart", "3"}).status, 0);
  for (const char* command : {"query", "graph", "ls", "describe"}) {
    for (const char* name : {"shop.odrers", "shop.odrers*"})
      EXPECT_THAT(cli({command, name}).said, HasSubstr("; similar: shop.orders;page=cart"))
          << command << name;
  }
  EXPECT_EQ(cli({"query", "nothing"}).said, "statmill: no series is called \"nothing\"\n");
}

TEST_F(CliE2e, QueriesAndDrawsExpressions) {
  const std::string now = std::to_string(std::time(nullptr) - 10);
  EXPECT_EQ(cli({"put", "*shop.visits", "2", now}).status, 0);
  EXPECT_EQ(cli({"put", "*shop.visits;page=x", "3", now}).status, 0);
  const std::string sum = R"(sum(increase({"shop.visits"}[5m])))";
  const Ended table = cli({"query", "--expr", sum, "--max-points", "1"});
  EXPECT_EQ(table.status, 0) << table.said;
  EXPECT_THAT(table.out, HasSubstr("series  value\n{}          5\n"));
  EXPECT_THAT(cli({"graph", "--expr", sum, "--from", "-1m"}).out, HasSubstr("value · 10s a point"));
  const Ended wrong = cli({"query", "--expr", "sum("});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.said, HasSubstr("\n  sum(\n      ^\n"));
}

TEST_F(CliE2e, ListsAndShowsStatus) {
  cli({"put", "*shop.visits", "1"});
  EXPECT_THAT(cli({"ls", "shop.*"}).out, HasSubstr("shop.visits"));
  EXPECT_THAT(cli({"status"}).out, HasSubstr("0.1.0"));
}

TEST_F(CliE2e, DoctorFindsNoFaultOfAServerThatIsWell) {
  cli({"put", "*shop.visits", "1"});
  const Ended found = cli({"doctor"});
  EXPECT_EQ(found.status, 0) << found.out << found.said;
  for (const char* line : {"server ", "disk ", "samples ", "agents "})
    EXPECT_THAT(found.out, HasSubstr(std::string("ok       ") + line));
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
