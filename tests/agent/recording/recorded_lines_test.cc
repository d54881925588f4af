// Complete lines mean to a server what the lines of the agent's batch mean, with the tags and time of the
// batch.
#include "agent/recording/recorded_lines.h"

#include <gtest/gtest.h>

#include "agent/catalogue/family_lines.h"
#include "proto/istatd/parser.h"

namespace statmill {
namespace {

constexpr Timestamp kNow{Duration(1'700'000'000'999)};

std::string complete(std::string_view line, std::string tags = "dc=eu;host=web1") {
  RecordedLines lines(std::move(tags));
  lines.begin(kNow);
  return std::string(lines.complete(line));
}

TEST(RecordedLines, HaveTheTagsAndTheTime) {
  const struct {
    const char* line;
    const char* want;
  } kRows[] = {
      {"host.load.1m 0.25", "host.load.1m;dc=eu;host=web1 1700000000 0.25\n"},
      {"*host.block.bytes;device=vda;op=read 512",
       "*host.block.bytes;dc=eu;device=vda;host=web1;op=read 1700000000 512\n"},
      {"$c host.up 1", "$c host.up;dc=eu;host=web1 1700000000 1\n"},
      {"%shop.us;uid=7 h3 1041 18:2 63:1", "%shop.us;dc=eu;host=web1;uid=7 1700000000 h3 1041 18:2 63:1\n"},
      {"a;host=other 1", "a;dc=eu;host=other 1700000000 1\n"},
      {"a;z=1;b=2 1", "a;b=2;dc=eu;host=web1;z=1 1700000000 1\n"},
      {"shop.%41 1", "shop.A;dc=eu;host=web1 1700000000 1\n"},
      {"^%2Aodd 1", "^*odd;dc=eu;host=web1 1700000000 1\n"},
      {"*^$odd 1", "*^$odd;dc=eu;host=web1 1700000000 1\n"},
      {"a%5Eb;t=x^y 1", "a%5Eb;dc=eu;host=web1;t=x^y 1700000000 1\n"},
      {"$x shop.us;uid=7 1699999999123 9 k=v", "$x shop.us;dc=eu;host=web1;uid=7 1699999999123 9 k=v\n"},
      {"$e *odd 1", "$e *odd;dc=eu;host=web1 1700000000 1\n"},
  };
  for (const auto& row : kRows) EXPECT_EQ(complete(row.line), row.want);
  EXPECT_EQ(complete("a 1", ""), "a 1700000000 1\n");
}

TEST(RecordedLines, MeanTheSameSamples) {
  for (const std::string_view line :
       {"a.b 1e300", "*a;t=%20x -3", "%a h5 41 20:1 21:1", "$c up 3", "^%24x;a=b 1", "%^%25x h0 3 0:1 2:1",
        "$d a 5", "a%5Eb 2", "a%25b 2", "caf\xc3\xa9 2"}) {
    const auto added = AddedTags::read("host=web1");
    Batch batch;
    parse_canonical_line(line, *added, batch);
    ASSERT_EQ(batch.samples.size(), 1U) << line;
    Batch again;
    const std::string text = complete(line, "host=web1");
    parse_canonical_lines(text, {}, again);
    ASSERT_EQ(again.samples.size(), 1U) << text;
    const Sample& want = batch.samples[0];
    const Sample& sample = again.samples[0];
    EXPECT_EQ(sample.name, want.name);
    EXPECT_EQ(sample.kind, want.kind);
    EXPECT_EQ(sample.time_s, 1'700'000'000);
    EXPECT_EQ(sample.value, want.value) << text;
    ASSERT_EQ(sample.ready != nullptr, want.ready != nullptr);
    if (want.ready != nullptr) {
      EXPECT_EQ(sample.ready->count, want.ready->count);
      EXPECT_EQ(sample.ready->joined_power, want.ready->joined_power);
      EXPECT_EQ(sample.ready->cells.size(), want.ready->cells.size());
    }
  }
}

TEST(RecordedLines, CountsLinesWithoutAName) {
  RecordedLines lines("host=web1");
  lines.begin(kNow);
  uint64_t refused = 0;
  for (const char* line : {"", " 1", "a", "*", "$c", "$c a", "a;b 1", "a\x01 1", "$m g", "$m g a \x01"}) {
    EXPECT_EQ(lines.complete(line), "") << line;
    EXPECT_EQ(lines.refused(), ++refused) << line;
  }
  EXPECT_EQ(lines.complete(std::string(3000, 'a') + " 1"), "");
}

TEST(RecordedLines, EachFamilyIsWrittenOnceUntilItChanges) {
  RecordedLines lines("host=web1");
  lines.begin(kNow);
  EXPECT_EQ(lines.complete("$m g a s Seconds."), "$m g a s Seconds.\n");
  EXPECT_EQ(lines.complete("$m g a s Seconds."), "");
  EXPECT_EQ(lines.complete("$m e a s Seconds."), "$m e a s Seconds.\n");
  EXPECT_EQ(lines.complete("$m g a ms"), "$m g a ms\n");
  EXPECT_EQ(lines.families(), "$m e a s Seconds.\n$m g a ms\n");
}

TEST(RecordedLines, RemembersTheWholeCatalogueAndABoundedNumberOfOthers) {
  RecordedLines lines("host=web1");
  const std::string all = family_lines();
  for (std::string_view rest = all; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
    lines.complete(rest.substr(0, rest.find('\n')));
  EXPECT_EQ(lines.refused(), 0U);
  EXPECT_EQ(lines.families().size(), all.size());
  const std::string help(1000, 'h');
  for (int i = 0; i < 2000; ++i) {
    const std::string line = "$m g x" + std::to_string(i) + " s " + help;
    EXPECT_EQ(lines.complete(line), line + "\n");
  }
  EXPECT_LE(lines.families().size(), RecordedLines::kFamilyBytesMax);
  EXPECT_GT(lines.families().size(), RecordedLines::kFamilyBytesMax / 2);
}

}  // namespace
}  // namespace statmill
