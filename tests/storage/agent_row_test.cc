#include "storage/agent_row.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace statmill {
namespace {

AgentRow some_row() {
  AgentRow row;
  for (size_t i = 0; i < row.id.bytes.size(); ++i) row.id.bytes[i] = static_cast<uint8_t>(i);
  row.position = {7, 300, 4000, Timestamp(Duration(1000))};
  row.is_ephemeral = true;
  row.seen = Timestamp(Duration(2000));
  row.host = "web1";
  row.gaps = 5;
  row.lines_lost = 60;
  row.last_gaps = {{10, 12, 30, GapReason::kForgotten, Timestamp(Duration(1)), Timestamp(Duration(2))}};
  row.newest = Timestamp(Duration(1500));
  row.uncertain_until = Timestamp(Duration(64));
  row.lines_refused = 300;
  for (size_t i = 0; i < row.secret.size(); ++i) row.secret[i] = static_cast<uint8_t>(0x80 + i);
  row.peer = "10.0.0.7:9";
  row.agent_version = "1.2";
  row.boot = {"6.1", "9f1c", Timestamp(Duration(63))};
  return row;
}

TEST(AgentRowTest, HasGoldenBytes) {
  using namespace std::string_literals;
  const std::string golden =
      "\x01\x03\x07\xac\x02\xa0\x1f\xd0\x0f\xa0\x1f\x04web1\x05\x3c\x01\x0a\x02\x1e\x02\x02\x04"
      "\xb8\x17\x80\x01\xac\x02"
      "\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f"
      "\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f"
      "\x0a"
      "10.0.0.7:9\x03"
      "1.2\x03"
      "6.1\x04"
      "9f1c\x7e"s;
  const std::string bytes = encode_agent_row(some_row());
  ASSERT_EQ(bytes.size(), golden.size() + 4);
  EXPECT_EQ(bytes.substr(0, golden.size()), golden);
  EXPECT_EQ(bytes.substr(golden.size()), std::string("\xe1\xf1\x04\xd7", 4));
}

TEST(AgentRowTest, RowsOfOlderProgramsHaveNoBoot) {
  using namespace std::string_literals;
  const std::string older =
      "\x01\x03\x07\xac\x02\xa0\x1f\xd0\x0f\xa0\x1f\x04web1\x05\x3c\x01\x0a\x02\x1e\x02\x02\x04"
      "\xb8\x17\x80\x01\xac\x02"
      "\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f"
      "\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f"
      "\x0a"
      "10.0.0.7:9\x03"
      "1.2"
      "\x04\xfa\xfa\xb7"s;
  const auto row = decode_agent_row(some_row().id, older);
  ASSERT_TRUE(row) << row.error().message;
  AgentRow want = some_row();
  want.boot = {};
  EXPECT_EQ(*row, want);
}

// The bytes after those of the row without a run, of which the flags differ, too.
TEST(AgentRowTest, ARunHasGoldenBytes) {
  AgentRow row = some_row();
  row.ahead = {310, 4100, {7, 320, 4300, Timestamp(Duration(1400))}};
  const std::string bytes = encode_agent_row(row);
  const std::string without = encode_agent_row(some_row());
  const size_t end = without.size() - 4;
  EXPECT_EQ(bytes[1], '\x07');
  EXPECT_EQ(bytes.substr(2, end - 2), without.substr(2, end - 2));
  EXPECT_EQ(bytes.substr(end, bytes.size() - 4 - end), "\x0a\x64\x0a\xc8\x01\xf0\x15");
  EXPECT_EQ(*decode_agent_row(row.id, bytes), row);
}

TEST(AgentRowTest, ARunThatIsNotAfterThePositionIsRefused) {
  AgentRow row = some_row();
  row.ahead = {300, 4100, {7, 320, 4300, {}}};
  EXPECT_FALSE(decode_agent_row(row.id, encode_agent_row(row)));
  row.ahead = {310, 4100, {7, 309, 4300, {}}};
  EXPECT_FALSE(decode_agent_row(row.id, encode_agent_row(row)));
}

TEST(AgentRowTest, RoundTrips) {
  const auto row = decode_agent_row(some_row().id, encode_agent_row(some_row()));
  ASSERT_TRUE(row) << row.error().message;
  EXPECT_EQ(*row, some_row());
}

RC_GTEST_PROP(AgentRowTest, RoundTripsWithAnyValues,
              (uint32_t epoch, uint64_t seq, uint64_t lines, int64_t ms, const std::string& host,
               uint64_t gaps)) {
  AgentRow row = some_row();
  row.position = {epoch, seq, lines, Timestamp(Duration(ms))};
  row.host = host;
  row.gaps = gaps;
  row.peer = host;
  row.lines_refused = lines;
  if (gaps % 2 == 0) row.uncertain_until.reset();
  if (gaps % 3 == 0 && seq < UINT64_MAX - 9)
    row.ahead = {seq + 1, lines, {epoch, seq + 9, lines, Timestamp(Duration(ms))}};
  row.last_gaps.resize(*rc::gen::inRange<size_t>(0, AgentRow::kGapsKept + 1), row.last_gaps.front());
  const auto decoded = decode_agent_row(row.id, encode_agent_row(row));
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(*decoded == row);
}

TEST(AgentRowTest, IsRefusedIfTruncatedOrChangedOrOfAnotherAgent) {
  const std::string bytes = encode_agent_row(some_row());
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_FALSE(decode_agent_row(some_row().id, std::string_view(bytes).substr(0, n))) << n;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decode_agent_row(some_row().id, damaged)) << bit;
  }
  EXPECT_FALSE(decode_agent_row(AgentId(), bytes));
}

}  // namespace
}  // namespace statmill
