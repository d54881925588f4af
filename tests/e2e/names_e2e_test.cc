// The command line deletes and renames series of a running server: at once, and durably across kill -9.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class NamesE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(cli({"check"}).status, 0) << "the stored data are inconsistent";
    EXPECT_EQ(server_.stop(), 0);
  }
  Ended cli(std::vector<std::string> arguments) { return server_.cli(std::move(arguments)); }

  ServerProcess server_{STATMILL_BIN, {"--flush.interval", "2s"}};
};

TEST_F(NamesE2e, DeletedSeriesStayDeletedAfterAKill) {
  server_.send("shop.a 1\nshop.b 2\n*shop.c 3\nother 4\n");
  const Ended dry = cli({"delete", "shop.[ab]", "shop.c", "--dry-run"});
  EXPECT_EQ(dry.out, "shop.a\nshop.b\nshop.c\n");
  EXPECT_EQ(dry.said, "statmill: 3 series would be affected\n");
  const Ended done = cli({"delete", "shop.[ab]", "shop.c"});
  EXPECT_EQ(done.out, "deleted 3 series\n") << done.said;
  server_.kill();
  server_.start();
  EXPECT_TRUE(server_.totals("shop.*").empty());
  EXPECT_EQ(server_.totals("other").at("other").sum, 4);
  server_.send("shop.a 8\n");
  EXPECT_EQ(server_.totals("shop.*").at("shop.a").sum, 8);
}

TEST_F(NamesE2e, ARenamedSeriesContinuesUnderItsNewName) {
  server_.send("web.1.cpu 1\nweb.2.cpu 2\n");
  EXPECT_EQ(cli({"rename", "web.*.cpu", "host.*.cpu", "--dry-run"}).out,
            "web.1.cpu host.1.cpu\nweb.2.cpu host.2.cpu\n");
  EXPECT_EQ(cli({"rename", "web.*.cpu", "host.*.cpu"}).out, "renamed 2 series\n");
  server_.kill();
  server_.start();
  server_.send("host.2.cpu 5\n");
  EXPECT_TRUE(server_.totals("web.*").empty());
  EXPECT_EQ(server_.totals("host.*").at("host.2.cpu").sum, 7);
  EXPECT_EQ(server_.totals("host.*").at("host.1.cpu").sum, 1);
}

TEST_F(NamesE2e, DeletingARangeKeepsTheRest) {
  const std::time_t hour = std::time(nullptr) / 3600 * 3600;
  server_.send("a " + std::to_string(hour - 7200) + " 1\na " + std::to_string(hour - 3600) + " 2\na 4\n");
  const Ended done =
      cli({"delete", "a", "--from", std::to_string(hour - 3600), "--until", std::to_string(hour)});
  EXPECT_EQ(done.out, "deleted 0 series\nemptied 1 over the range\n") << done.said;
  server_.kill();
  server_.start();
  const Ended rest = cli({"query", "a", "--from", std::to_string(hour - 7200), "--step", "1h", "--stats",
                          "sum", "--format", "csv"});
  EXPECT_THAT(rest.out, HasSubstr(std::to_string(hour - 7200) + ",1\n")) << rest.said;
  EXPECT_THAT(rest.out, HasSubstr(std::to_string(hour - 3600) + ",\n"));
  EXPECT_THAT(rest.out, HasSubstr(std::to_string(hour) + ",4\n"));
}

TEST_F(NamesE2e, RefusesRequestsThatMayBeMistakesWithOneLine) {
  server_.send("a 1\nb 1\n");
  const Ended all = cli({"delete", "*"});
  EXPECT_EQ(all.status, 1);
  EXPECT_THAT(all.said, HasSubstr("all series"));
  EXPECT_EQ(cli({"delete"}).status, 2);
  EXPECT_THAT(cli({"delete", "a", "--from", "-1s"}).said, HasSubstr("must be a multiple of 1h"));
  EXPECT_THAT(cli({"rename", "a", "b"}).said, HasSubstr("\"b\" already"));
  EXPECT_EQ(server_.totals("?").size(), 2U);
}

}  // namespace
}  // namespace statmill
