// The log is bounded, and it finds the senders of series over the limit.
#include "ingest/refusal_log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ingest/intake.h"
#include "proto/istatd/parser.h"
#include "proto/name_prefix.h"
#include "server/table/table.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

LineSender host(uint8_t last_byte) {
  return LineSender::host({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last_byte});
}

std::string text_of(const std::vector<HeavyHitters::Hitter>& hitters) {
  std::string out;
  for (const auto& [key, count] : hitters) out += key + "=" + std::to_string(count) + " ";
  return out;
}

class RefusalLogTest : public testing::Test {
 protected:
  // Submits one batch of lines from one sender.
  void send(const LineSender& sender, std::string_view lines) {
    Batch batch;
    batch.set_sender(sender);
    parse_istatd_lines(lines, batch);
    intake_.submit(batch, account_, from_unix_seconds(kNow + batches_++));
  }
  static std::string names(const std::string& prefix, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += prefix + "." + std::to_string(i) + " 1\n";
    return out;
  }
  const RefusalLog& refusal_log() const { return intake_.refusals(); }
  size_t record_count(LineSender sender) const {
    const auto records = refusal_log().records();
    return static_cast<size_t>(
        std::count_if(records.begin(), records.end(), [&](const RefusalRecord& record) {
          sender.port = record.sender.port;
          return record.sender == sender;
        }));
  }

  Table table_{*Tiers::parse("10s:10d"), {.series_max = 2}};
  Registry registry_;
  Intake intake_{table_, registry_};
  const ListenerAccount account_ = intake_.account("tcp");
  int64_t batches_ = 0;
};

TEST_F(RefusalLogTest, ListsRefusedLinesWithTimeListenerAndSenderNewestFirst) {
  send(host(1), "good 1\nbad x\n");
  send(host(2), "old 1000 1\n");
  const auto records = refusal_log().records();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].text, "old");
  EXPECT_EQ(records[0].reason, Refusal::kTooOld);
  EXPECT_EQ(records[0].sender, host(2));
  EXPECT_EQ(unix_seconds(records[0].time), kNow + 1);
  EXPECT_EQ(records[1].text, "bad x");
  EXPECT_EQ(records[1].reason, Refusal::kBadValue);
  EXPECT_EQ(records[1].sender, host(1));
  EXPECT_EQ(records[1].listener, "tcp");
}

TEST_F(RefusalLogTest, KeepsTheBeginOfTheLastLines) {
  for (int i = 0; i < 250; ++i) send(host(1), "line." + std::to_string(i) + " x\n");
  auto records = refusal_log().records();
  ASSERT_EQ(records.size(), RefusalLog::kRecordsMax);
  EXPECT_EQ(records.front().text, "line.249 x");
  EXPECT_EQ(records.back().text, "line.150 x");
  send(host(1), std::string(5000, 'a') + "\n");
  records = refusal_log().records();
  EXPECT_EQ(records.front().text, std::string(RefusalLog::kTextBytesMax, 'a'));
  EXPECT_EQ(records.front().text_bytes, 5000U);
}

TEST_F(RefusalLogTest, AFloodInOneBatchUsesOnlyItsShare) {
  send(host(1), "seen x\n");
  std::string flood;
  for (int i = 0; i < 10'000; ++i) flood += "flood x\n";
  send(host(2), flood);
  const auto records = refusal_log().records();
  ASSERT_EQ(records.size(), 1 + Batch::kRefusedLinesMax);
  EXPECT_EQ(records.back().text, "seen x");
}

TEST_F(RefusalLogTest, AFloodDoesNotEvictTheRecordsOfOthers) {
  for (int i = 0; i < 3; ++i) send(host(1), "quiet." + std::to_string(i) + " x\n");
  LineSender flooder = host(2);
  for (int i = 0; i < 1000; ++i) {
    flooder.port = static_cast<uint16_t>(i + 1);  // ports do not matter
    send(flooder, "flood." + std::to_string(i) + " x\n");
  }
  EXPECT_EQ(record_count(host(1)), 3U);
  EXPECT_EQ(refusal_log().records().front().text, "flood.999 x");
  EXPECT_EQ(refusal_log().records().at(96).text, "flood.903 x") << "the last line of the flood";
  for (int i = 0; i < 1000; ++i) send(host(3), "other." + std::to_string(i) + " x\n");
  EXPECT_EQ(record_count(host(1)), 3U);
  EXPECT_EQ(record_count(host(3)), 49U) << "two floods share the remaining records";
}

TEST_F(RefusalLogTest, ReplacesTheOldestRecordAmongSendersWithEqualCounts) {
  for (int i = 0; i < 250; ++i) send(host(static_cast<uint8_t>(i)), "line." + std::to_string(i) + " x\n");
  const auto records = refusal_log().records();
  ASSERT_EQ(records.size(), RefusalLog::kRecordsMax);
  EXPECT_EQ(records.front().text, "line.249 x");
  EXPECT_EQ(records.back().text, "line.150 x");
}

TEST_F(RefusalLogTest, FindsTheSendersOfNewSeriesOverTheLimit) {
  send(host(1), "a 1\nb 1\n");
  send(host(1), "a 2\nshop.orders 1\n");
  send(host(2), names("bomb", 1000));
  send(host(2), "junk x\n" + names("bomb", 7) + names("fuse", 7) + "a 3\n");
  EXPECT_EQ(text_of(refusal_log().by_sender().top(9)), "10.0.0.2=1014 10.0.0.1=1 ");
  EXPECT_EQ(text_of(refusal_log().by_prefix().top(9)), "bomb=1007 fuse=7 shop=1 ");
  EXPECT_EQ(refusal_log().by_sender().total(), 1015U);
}

TEST_F(RefusalLogTest, SharesOfManySendersAddUpToTheBatch) {
  send(LineSender{}, "a 1\nb 1\n");
  Batch batch;
  const std::string lines[] = {names("one", 400), names("two", 601)};
  for (uint8_t i = 0; i < 2; ++i) {
    batch.set_sender(host(i));
    parse_istatd_lines(lines[i], batch);
  }
  intake_.submit(batch, account_, from_unix_seconds(kNow));
  EXPECT_EQ(refusal_log().by_sender().total(), 1001U);
  EXPECT_EQ(refusal_log().by_prefix().total(), 1001U);
  for (const auto& [sender, count] : refusal_log().by_sender().top(9)) EXPECT_GT(count, 100U) << sender;
}

TEST_F(RefusalLogTest, LimitsTheNumberOfSenders) {
  send(LineSender{}, "a 1\nb 1\n");
  for (int i = 0; i < 10'000; ++i) {
    const auto byte = [i](int shift) { return static_cast<uint8_t>(i >> shift); };
    send(LineSender::host({0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte(8), byte(0)}),
         "spoofed." + std::to_string(i) + " 1\n");
    if (i % 5 == 0) send(host(9), "steady." + std::to_string(i) + " 1\n");
  }
  EXPECT_LE(refusal_log().by_sender().size(), RefusalLog::kHittersMax);
  EXPECT_EQ(refusal_log().by_sender().top(1).at(0).key, "10.0.0.9");
  EXPECT_EQ(refusal_log().by_sender().total(), 12'000U);
}

TEST(NamePrefix, EndsAtDotsAndBeforeTags) {
  struct Case {
    std::string_view name;
    size_t parts;
    std::string_view want;
  };
  for (const Case& c : std::vector<Case>{{"host.web.cpu", 1, "host"},
                                         {"host.web.cpu", 2, "host.web"},
                                         {"host.web.cpu", 3, "host.web.cpu"},
                                         {"host.web.cpu", 8, "host.web.cpu"},
                                         {"cpu;dc=a.b", 1, "cpu"},
                                         {"host.cpu;dc=a.b", 3, "host.cpu"},
                                         {".a", 1, ""},
                                         {"cpu", 1, "cpu"}}) {
    EXPECT_EQ(name_prefix(c.name, c.parts), c.want) << c.name << " " << c.parts;
  }
}

}  // namespace
}  // namespace statmill
