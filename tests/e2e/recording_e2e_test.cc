// A server that shows a recording: it answers at the time of the recording, and leaves nothing on the disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "proto/recording/block.h"
#include "tests/support/http_client.h"
#include "tests/support/process.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::Optional;

constexpr int64_t kBegin = 1'500'000'000;  // longer ago than a server keeps seconds

// A recording of 20 seconds: a gauge that counts up ten times a second, and an event that comes once a
// second.
std::string recording() {
  BlockWriter writer;
  std::string file;
  for (const int64_t begin : {kBegin, kBegin + 10}) {
    std::string text = "# recording 1 host=web1 interval_ms=1000 fast_ms=100\n";
    for (int64_t at = begin; at < begin + 10; ++at) {
      for (int tenth = 0; tenth < 10; ++tenth) {
        text += "# at " + std::to_string(at) + "." + std::to_string(tenth) + "00\n";
        text += "shop.depth;host=web1 " + std::to_string(at) + " " + std::to_string(tenth) + "\n";
      }
      text += "*host.load.forks;host=web1 " + std::to_string(at) + " 3\n";
    }
    file += writer.block(text, begin);
  }
  return file + std::string(end_block());
}

class RecordingE2e : public testing::Test {
 protected:
  std::string write(const std::string& bytes) const { return directory_.write("web1.rec.gz", bytes); }

  // Opens it, and waits until all is loaded.
  void open(const std::string& file) {
    process_.emplace(Command{STATMILL_BIN "/statmilld", {"--recording", file}, {}});
    const auto ready = process_->wait_for_line(" ready ");
    ASSERT_TRUE(ready) << process_->standard_error();
    http_ = endpoint_of(log_value(*ready, "http"));
    ASSERT_TRUE(process_->wait_for_line("recording loaded")) << process_->standard_error();
  }
  boost::json::value get(const std::string& target) const {
    const HttpReply reply = http_get(http_, target);
    EXPECT_EQ(reply.status, 200) << target << " " << reply.body;
    return boost::json::parse(reply.body);
  }
  void close() {
    process_->signal(SIGINT);
    EXPECT_THAT(process_->wait(), Optional(0)) << process_->standard_error();
  }

  const TempDirectory directory_;
  std::optional<Process> process_;
  Endpoint http_;
};

TEST_F(RecordingE2e, ThePageAndTheQueriesAreAtTheTimeOfTheRecording) {
  open(write(recording()));
  const std::string said = process_->standard_output();
  EXPECT_THAT(said,
              HasSubstr("The recording of web1, 2017-07-14T02:40:00Z to 2017-07-14T02:40:19Z, is at\n"));
  EXPECT_THAT(said, HasSubstr("/#/host/web1?from=1500000000&until=1500000020\n"));
  EXPECT_THAT(said, HasSubstr("\n220 samples are loaded\n"));
  const auto gauge =
      get("/api/v1/query?series=shop.depth;host=web1&from=-21s&until=now&step=1").at("series").at(0);
  const auto& averages = gauge.at("avg").as_array();
  ASSERT_GE(averages.size(), 20U);
  int seconds = 0;
  for (const auto& average : averages) {
    if (average.is_null()) continue;
    EXPECT_EQ(average.to_number<double>(), 4.5);
    ++seconds;
  }
  EXPECT_EQ(seconds, 20) << "series of programs have seconds, too";
  const auto status = get("/api/v1/status");
  EXPECT_EQ(status.at("recording"), "web1.rec.gz");
  EXPECT_NEAR(status.at("now").to_number<double>(), kBegin + 20.9, 0.01);
  close();
}

TEST_F(RecordingE2e, WhatIsCutOffIsShownUpToThere) {
  const std::string whole = recording();
  open(write(whole.substr(0, whole.size() - 40)));
  EXPECT_THAT(process_->standard_output(), HasSubstr("02:40:09Z, is at"));
  EXPECT_THAT(process_->standard_error(), HasSubstr("the end of the recording is missing"));
  close();
}

TEST_F(RecordingE2e, AMomentOfAWrongClockHidesNothing) {
  BlockWriter writer;
  open(write(writer.block("# recording 1 host=web1 interval_ms=1000\n# at 4000000000.000\na 4000000000 1\n",
                          4'000'000'000) +
             recording()));
  EXPECT_THAT(process_->standard_output(), HasSubstr("2017-07-14T02:40:00Z to 2017-07-14T02:40:19Z"));
  EXPECT_THAT(process_->standard_error(), HasSubstr("samples of the recording were refused samples=1"));
  close();
}

TEST_F(RecordingE2e, SettingsInTheEnvironmentAreAnotherServers) {
  const std::string socket = directory_.path() / "admin.sock";
  process_.emplace(Command{STATMILL_BIN "/statmill",
                           {"open", write(recording())},
                           {{"STATMILL_ADMIN_SOCKET", socket}, {"STATMILL_LOG_LEVEL", "info"}}});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (process_->standard_output().find("loaded") == std::string::npos &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  EXPECT_THAT(process_->standard_output(), HasSubstr("220 samples are loaded"));
  EXPECT_FALSE(std::filesystem::exists(socket));
  close();
}

TEST_F(RecordingE2e, WhatIsNoRecordingIsSaid) {
  const std::pair<std::string, std::string> cases[] = {{"no gzip", "web1.rec.gz"}, {"", "holds no samples"}};
  for (const auto& [bytes, want] : cases) {
    const Ended ended = run_program({STATMILL_BIN "/statmill", {"open", write(bytes)}, {}});
    EXPECT_NE(ended.status, 0);
    EXPECT_THAT(ended.said, HasSubstr(want));
  }
  const Ended pipe = run_program({STATMILL_BIN "/statmill", {"open", "/dev/stdin"}, {}});
  EXPECT_THAT(pipe.said, HasSubstr("is no regular file"));
}

}  // namespace
}  // namespace statmill
