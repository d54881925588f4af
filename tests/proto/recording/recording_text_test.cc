// The first line of a block and the moments read back as they were written.
#include "proto/recording/recording_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace statmill {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::Pair;

using Moments = std::vector<std::pair<std::optional<int64_t>, std::string>>;

Moments moments_of(std::string_view lines) {
  Moments moments;
  for_each_moment(lines, [&](std::optional<Timestamp> at, std::string_view text) {
    moments.emplace_back(at ? std::optional<int64_t>(at->time_since_epoch().count()) : std::nullopt, text);
  });
  return moments;
}

TEST(RecordingText, ReadsTheHeadThatWasWritten) {
  for (const RecordingHead& head : {RecordingHead{"web1.example.org", milliseconds(1000), {}},
                                    RecordingHead{"a", milliseconds(100), milliseconds(100)}}) {
    std::string text;
    append_recording_head(text, head);
    text += "a 1 2\n";
    const auto parsed = parse_recording_text(text);  // points into it
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->head, head);
    EXPECT_EQ(parsed->lines, "a 1 2\n");
  }
}

TEST(RecordingText, RefusesAWrongHead) {
  const struct {
    const char* text;
    ErrorCode want;
    const char* why;
  } kRows[] = {
      {"", ErrorCode::kCorrupt, "empty"},
      {"a 1 2\n", ErrorCode::kCorrupt, "a line of samples"},
      {"# recording 2 host=a interval_ms=1000\n", ErrorCode::kVersion, "a later version"},
      {"# recording \n", ErrorCode::kVersion, "no version"},
      {"# recording 1 interval_ms=1000\n", ErrorCode::kCorrupt, "no host"},
      {"# recording 1 host= interval_ms=1000\n", ErrorCode::kCorrupt, "an empty host"},
      {"# recording 1 host=a\x1b[31m interval_ms=1000\n", ErrorCode::kCorrupt,
       "a host that colors a terminal"},
      {"# recording 1 host=a/../b interval_ms=1000\n", ErrorCode::kCorrupt, "a host that is a path"},
      {"# recording 1 host=a?b=c interval_ms=1000\n", ErrorCode::kCorrupt,
       "a host that ends the path of a URL"},
      {"# recording 1 host=\xc3\xa9 interval_ms=1000\n", ErrorCode::kCorrupt, "a host that is not ASCII"},
      {"# recording 1 host=a\n", ErrorCode::kCorrupt, "no interval"},
      {"# recording 1 host=a interval_ms=0\n", ErrorCode::kCorrupt, "an interval of 0"},
      {"# recording 1 host=a interval_ms=1s\n", ErrorCode::kCorrupt, "an interval with a unit"},
      {"# recording 1 host=a interval_ms=1000 fast_ms=-1\n", ErrorCode::kCorrupt, "a negative interval"},
  };
  for (const auto& row : kRows) {
    const auto parsed = parse_recording_text(row.text);
    ASSERT_FALSE(parsed) << row.why;
    EXPECT_EQ(parsed.error().code, row.want) << row.why;
  }
  EXPECT_FALSE(parse_recording_text("# recording 1 interval_ms=1 host=" + std::string(257, 'a') + "\n"));
}

TEST(RecordingText, EachHostNameBecomesOneThatIsRead) {
  EXPECT_EQ(recording_host("Web-1.example_2.org"), "Web-1.example_2.org");
  EXPECT_EQ(recording_host("a b/c\x1b\n\xc3\xa9"), "a_b_c____");
  EXPECT_EQ(recording_host(""), "unknown");
  EXPECT_EQ(recording_host(std::string(300, 'a')), std::string(256, 'a'));
  std::string text;
  append_recording_head(text, {recording_host("a b/c"), milliseconds(1), {}});
  EXPECT_TRUE(parse_recording_text(text));
}

TEST(RecordingText, IgnoresKeysOfLaterWriters) {
  EXPECT_TRUE(parse_recording_text("# recording 1 host=a color=red interval_ms=1000 flag\n"));
}

TEST(RecordingText, MomentsHaveMilliseconds) {
  for (const int64_t ms : {int64_t{0}, int64_t{5}, 1'796'006'115'000, 1'796'006'115'300, 1'796'006'115'999}) {
    std::string text;
    append_moment(text, Timestamp(milliseconds(ms)));
    EXPECT_THAT(moments_of(text + "a 1 2\n"), ElementsAre(Pair(std::optional(ms), "a 1 2\n"))) << text;
  }
}

TEST(RecordingText, LinesBelongToTheMomentBeforeThem) {
  EXPECT_THAT(
      moments_of("$m g a s\n# at 7.000\na 7 1\nb 7 1\n# at 7.100\n# at 7.200\na 7 2"),
      ElementsAre(Pair(std::nullopt, "$m g a s\n"), Pair(std::optional<int64_t>(7000), "a 7 1\nb 7 1\n"),
                  Pair(std::optional<int64_t>(7100), ""), Pair(std::optional<int64_t>(7200), "a 7 2")));
  EXPECT_THAT(moments_of(""), ElementsAre());
}

TEST(RecordingText, AMomentThatIsNoTimeIsNone) {
  for (const char* line : {"# at 7\n", "# at 7.1\n", "# at 7.1000\n", "# at -1.000\n", "# at 7.-10\n",
                           "# at 99999999999999999.000\n", "# at .000\n", "# at x.000\n"})
    EXPECT_THAT(moments_of(line), ElementsAre(Pair(std::nullopt, line)));
}

}  // namespace
}  // namespace statmill
