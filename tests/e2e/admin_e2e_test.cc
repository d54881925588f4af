// The admin socket of a running server handles admin requests; no other listener does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class AdminE2e : public testing::Test {
 protected:
  Ended cli(std::vector<std::string> arguments) { return server_.cli(std::move(arguments)); }

  ServerProcess server_{STATMILL_BIN};
};

TEST_F(AdminE2e, FlushWritesPendingDataToFiles) {
  server_.start();
  server_.send("a.gauge 1.5\na.gauge 2.5\n*an.event 4\n");
  ASSERT_GT(server_.metric("statmill_pending_bytes"), 0);
  const Ended flushed = cli({"flush"});
  EXPECT_EQ(flushed.status, 0) << flushed.said;
  EXPECT_THAT(flushed.out, HasSubstr("\nafter  "));
  EXPECT_GE(server_.metric("statmill_fragments_total"), 2);
  EXPECT_EQ(server_.totals("a.gauge").at("a.gauge").sum, 4);
  EXPECT_EQ(server_.conservation(), "");
  EXPECT_EQ(server_.stop(), 0);
}

TEST_F(AdminE2e, CompactionLeavesTheSizeThatItReports) {
  server_.start();
  for (int round = 0; round < 3; ++round) {
    std::string lines;
    for (int i = 0; i < 3000; ++i) lines += "some." + std::to_string(i) + " " + std::to_string(round) + "\n";
    server_.send(lines);
    ASSERT_EQ(cli({"flush"}).status, 0);
  }
  const Ended compacted = cli({"flush", "--compact"});
  ASSERT_EQ(compacted.status, 0) << compacted.said;
  uint64_t bytes = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(server_.data() / "data"))
    if (file.is_regular_file() && file.path().filename() != "reserve") bytes += file.file_size();
  const uint64_t said = std::stoull(compacted.out.substr(compacted.out.find("\nafter  ") + 8));
  EXPECT_NEAR(static_cast<double>(bytes), static_cast<double>(said), 65536)
      << "except for what the server writes about itself";
  const Ended again = cli({"flush", "--compact"});
  ASSERT_EQ(again.status, 0);
  EXPECT_NEAR(std::stod(again.out.substr(again.out.find("\nafter  ") + 8)), static_cast<double>(said), 65536)
      << "a second compaction changes nothing";
  EXPECT_EQ(server_.totals("some.7").at("some.7").count, 3);
  EXPECT_EQ(server_.conservation(), "");
  EXPECT_EQ(server_.stop(), 0);
}

TEST_F(AdminE2e, AdminRequestsAreNotServedOverTcp) {
  server_.start();
  EXPECT_EQ(http_post(server_.http(), "/admin/v1/flush", "").status, 404);
  EXPECT_EQ(server_.conservation(), "");
  EXPECT_EQ(server_.stop(), 0);
}

TEST_F(AdminE2e, TheLogSaysWhoDidWhat) {
  server_.start();
  ASSERT_EQ(cli({"flush"}).status, 0);
  ASSERT_EQ(cli({"backup", server_.data() / "copy"}).status, 0);
  ASSERT_NE(cli({"forget-agent", "0123"}).status, 0);
  const std::string by = " by=\"uid " + std::to_string(::getuid()) + ", pid ";
  const auto line_of = [&](const std::string& path) {
    const std::string log = server_.process().standard_error();
    const size_t at = log.find("info request what=\"POST /admin/v1/" + path);
    return at == std::string::npos ? "" : log.substr(at, log.find('\n', at) - at);
  };
  EXPECT_THAT(line_of("flush"),
              testing::AllOf(HasSubstr(by), HasSubstr(" at the admin socket\" status=200 ")));
  EXPECT_THAT(line_of("snapshots"), testing::AllOf(HasSubstr(by), HasSubstr(" status=200 ")));
  EXPECT_THAT(line_of("forget-agent?id=0123"), testing::AllOf(HasSubstr(by), HasSubstr(" status=4")));
  EXPECT_EQ(server_.stop(), 0);
}

TEST_F(AdminE2e, CommandLineReportsThatNoServerRuns) {
  server_.start();
  ASSERT_EQ(server_.stop(), 0);
  const Ended ended = cli({"flush"});
  EXPECT_EQ(ended.status, 9);
  EXPECT_EQ(ended.said, "statmill: cannot reach " + server_.admin_socket() + ": No such file or directory\n");
}

TEST_F(AdminE2e, RefusesASecondServerAndReplacesTheSocketOfADeadOne) {
  const std::string socket = server_.data() / "own.sock";
  ServerProcess first(STATMILL_BIN, {"--admin.socket", socket});
  first.start();
  Process second({std::string(STATMILL_BIN) + "/statmilld",
                  {"--store.path", server_.data() / "second", "--line.listen", "127.0.0.1:0", "--http.listen",
                   "127.0.0.1:0", "--agent.listen", "", "--admin.socket", socket},
                  {}});
  EXPECT_EQ(second.wait(), 6);
  EXPECT_THAT(second.standard_error(),
              HasSubstr("statmilld: admin.socket " + socket + ": another server listens there\n"));
  first.kill();
  first.start();
  EXPECT_EQ(first.stop(), 0);
}

TEST_F(AdminE2e, AnAdminSocketPathThatIsTooLongIsAnInvalidSetting) {
  Process server({std::string(STATMILL_BIN) + "/statmilld",
                  {"--store.path", server_.data() / std::string(120, 'a'), "--line.listen", "127.0.0.1:0",
                   "--http.listen", "127.0.0.1:0", "--agent.listen", ""},
                  {}});
  EXPECT_EQ(server.wait(), 2);
  EXPECT_THAT(server.standard_error(), HasSubstr("the path of a socket may have 107"));
}

}  // namespace
}  // namespace statmill
