// `statmill record --info` says what a recording holds, also if its end is missing or damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "proto/recording/block.h"
#include "tests/support/temp_directory.h"
#include "tests/tools/run_command.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RecordInfo : public testing::Test {
 protected:
  static std::string block_of(const std::string& host, const std::string& lines) {
    return BlockWriter().block("# recording 1 host=" + host + " interval_ms=1000\n" + lines, 0);
  }
  Outcome info(const std::string& bytes) {
    return run_command("", {"record", "--info", directory_.write("a.rec.gz", bytes).string()});
  }

  const TempDirectory directory_;
  const std::string first_ =
      block_of("web1", "$m g a s\n# at 1700000000.000\na 1700000000 1\nb 1700000000 1\n");
  const std::string second_ = block_of("web1", "# at 1700000001.500\na 1700000001 1\n*b 1700000001 1\n");
};

TEST_F(RecordInfo, PrintsHostTimesAndCounts) {
  const std::string file = first_ + second_ + std::string(end_block());
  const Outcome out = info(file);
  EXPECT_EQ(out.code, ExitCode::kOk) << out.messages;
  EXPECT_EQ(out.output,
            "host      web1\n"
            "from      2023-11-14T22:13:20Z\n"
            "until     2023-11-14T22:13:21Z\n"
            "interval  1000 ms\n"
            "series    2\n"
            "lines     4\n"
            "bytes     " +
                std::to_string(file.size()) + "\nend       complete\n");
}

TEST_F(RecordInfo, NamesEachHostOfSeveralRecordings) {
  EXPECT_THAT(
      info(first_ + std::string(end_block()) + block_of("web2", "a 1 1\n") + std::string(end_block())).output,
      HasSubstr("host      web1, web2\n"));
}

TEST_F(RecordInfo, NamesSixteenHostsAtMost) {
  std::string file;
  for (int i = 10; i < 26; ++i) file += block_of("h" + std::to_string(i), "a 1 1\n");
  EXPECT_THAT(info(file).output, HasSubstr(", h24, h25\n"));
  EXPECT_THAT(info(file + block_of("h25", "a 1 1\n")).output, HasSubstr(", h24, h25\n"));
  EXPECT_THAT(info(file + block_of("h26", "a 1 1\n")).output, HasSubstr(", h24, h25, and more\n"));
}

TEST_F(RecordInfo, CountsAMillionSeriesAtMost) {
  std::string file;
  BlockWriter blocks;
  const std::string head = "# recording 1 host=web1 interval_ms=1000\n";
  std::string text = head;
  const auto add = [&](int i) {
    text += "s" + std::to_string(i) + " 1 1\n";
    if (text.size() > 65'000) file += blocks.block(std::exchange(text, head), 0);
  };
  for (int i = 0; i < 1'000'000; ++i) add(i);
  EXPECT_THAT(info(file + blocks.block(text, 0)).output, HasSubstr("series    1000000\nlines     1000000\n"));
  add(1'000'000);
  EXPECT_THAT(info(file + blocks.block(text, 0)).output,
              HasSubstr("series    more than 1000000\nlines     1000001\n"));
}

TEST_F(RecordInfo, RefusesAHostThatATerminalWouldObey) {
  const Outcome out = info(first_ + block_of("web1\x1b[2J", "a 1 1\n"));
  EXPECT_EQ(out.code, ExitCode::kDamaged);
  EXPECT_EQ((out.output + out.messages).find('\x1b'), std::string::npos);
}

TEST(Record, NeedsTheFileOfSettingsThatItIsGiven) {
  const Outcome out = run_command("", {"record", "--config", "/nowhere/agent.conf", "a"});
  EXPECT_EQ(out.code, ExitCode::kFailed);
  EXPECT_THAT(out.messages, HasSubstr("/nowhere/agent.conf: No such file"));
}

TEST_F(RecordInfo, SaysThatTheEndIsMissing) {
  const Outcome out = info(first_ + second_.substr(0, 40));
  EXPECT_EQ(out.code, ExitCode::kOk) << "what it has is valid";
  EXPECT_THAT(out.output, AllOf(HasSubstr("lines     2\n"), HasSubstr("end       missing\n")));
}

TEST_F(RecordInfo, PrintsWhatIsBeforeDamage) {
  std::string damaged = second_;
  damaged[30] = static_cast<char>(damaged[30] ^ 1);
  const Outcome out = info(first_ + damaged);
  EXPECT_EQ(out.code, ExitCode::kDamaged);
  EXPECT_THAT(out.messages, HasSubstr("a.rec.gz: a block is damaged"));
  EXPECT_THAT(out.output, HasSubstr("lines     2\n"));
}

TEST_F(RecordInfo, RefusesWhatIsNoRecording) {
  const Outcome out = info("hello");
  EXPECT_EQ(out.code, ExitCode::kDamaged);
  EXPECT_THAT(out.messages, HasSubstr("a.rec.gz: not a recording"));
  EXPECT_EQ(out.output, "");
  EXPECT_THAT(run_command("", {"record", "--info", "/nowhere/a"}).messages,
              HasSubstr("/nowhere/a: No such file"));
}

TEST_F(RecordInfo, HasToNameTheFile) {
  EXPECT_THAT(run_command("", {"record", "--info"}).messages, HasSubstr("--info needs FILE"));
}

}  // namespace
}  // namespace statmill
