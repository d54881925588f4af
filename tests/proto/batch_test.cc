// The batch keeps some of what was refused, with its sender, and no more than it says.
#include "proto/batch.h"

#include <gtest/gtest.h>

#include "proto/graphite_lines.h"
#include "proto/istatd_lines.h"
#include "proto/statsd_lines.h"

namespace statmill {
namespace {

LineSender host(uint8_t last_byte) {
  return LineSender::host({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last_byte});
}

// "10.0.0.1 bad_value a x" for each.
std::vector<std::string> texts(const std::vector<RefusedLine>& lines) {
  std::vector<std::string> out;
  for (const RefusedLine& l : lines)
    out.push_back(l.sender.text() + " " + std::string(refusal_label(l.reason)) + " " + std::string(l.text));
  return out;
}

TEST(LineSender, HasATextOfEachKind) {
  EXPECT_EQ(LineSender{}.text(), "server");
  EXPECT_EQ(LineSender::http().text(), "http");
  EXPECT_EQ(host(7).text(), "10.0.0.7");
  LineSender sender = host(7);
  sender.port = 4711;
  EXPECT_EQ(sender.text(), "10.0.0.7:4711");
  EXPECT_EQ(sender.name(), "10.0.0.7");
  const LineSender v6 = LineSender::host({0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7}, 80);
  EXPECT_EQ(v6.text(), "[2001:db8::7]:80");
  EXPECT_EQ(v6.name(), "2001:db8::7");
}

TEST(Batch, KnowsWhoSentWhat) {
  Batch batch;
  batch.set_sender(host(1));
  batch.set_sender(host(2));  // the first sent nothing
  parse_istatd_lines("a 1\nb x\n", batch);
  batch.set_sender(host(3));
  parse_istatd_lines("c 1\nd 1\ne\n", batch);
  batch.set_sender(host(2));
  parse_istatd_lines("f 1\n", batch);
  std::string senders;
  for (size_t i = 0; i < batch.samples.size(); ++i) senders += batch.sender_of(i).text() + " ";
  EXPECT_EQ(senders, "10.0.0.2 10.0.0.3 10.0.0.3 10.0.0.2 ");
  batch.refuse_sample(1, Refusal::kTooOld);
  batch.refuse_sample(3, Refusal::kSeriesLimit);
  EXPECT_EQ(texts(batch.refused_lines),
            (std::vector<std::string>{"10.0.0.2 bad_value b x", "10.0.0.3 field_count e",
                                      "10.0.0.3 too_old c", "10.0.0.2 series_limit f"}));
  EXPECT_EQ(texts(batch.refused_new_names), (std::vector<std::string>{"10.0.0.2 series_limit f"}));
}

TEST(Batch, ClearForgetsAllButTheSender) {
  Batch batch;
  batch.set_sender(host(1));
  parse_istatd_lines("a 1\n", batch);
  batch.set_sender(host(2));
  parse_istatd_lines("b x\n", batch);
  batch.clear();
  EXPECT_TRUE(batch.refused_lines.empty());
  parse_istatd_lines("c 1\nd\n", batch);
  EXPECT_EQ(batch.sender_of(0).text(), "10.0.0.2");
  EXPECT_EQ(texts(batch.refused_lines), (std::vector<std::string>{"10.0.0.2 field_count d"}));
}

TEST(Batch, CountsAllThatIsRefusedAndKeepsTheFirst) {
  Batch batch;
  for (size_t i = 0; i < 2 * Batch::kRefusedLinesMax; ++i)
    batch.refuse(Refusal::kBadValue, batch.keep("line " + std::to_string(i)));
  EXPECT_EQ(batch.refused[static_cast<size_t>(Refusal::kBadValue)], 2 * Batch::kRefusedLinesMax);
  ASSERT_EQ(batch.refused_lines.size(), Batch::kRefusedLinesMax);
  EXPECT_EQ(batch.refused_lines.back().text, "line " + std::to_string(Batch::kRefusedLinesMax - 1));
  parse_istatd_lines("a 1\nb 1\n", batch);
  batch.refuse_all_samples(Refusal::kSenderLimit);
  EXPECT_EQ(batch.refused[static_cast<size_t>(Refusal::kSenderLimit)], 2U);
  EXPECT_EQ(texts(batch.refused_new_names),
            (std::vector<std::string>{"server sender_limit a", "server sender_limit b"}))
      << "bad lines before leave room for new names";
}

TEST(Batch, KeepsRefusedLinesOfEachDialectAsTheyWereSent) {
  Batch istatd;
  parse_istatd_lines("# key\n@later 1\n cpu  much \n", istatd);
  EXPECT_EQ(texts(istatd.refused_lines),
            (std::vector<std::string>{"server bad_metadata # key", "server reserved @later 1",
                                      "server bad_value  cpu  much "}));
  Batch graphite;
  parse_graphite_lines("a.b\na;b 1 2\n", graphite);
  EXPECT_EQ(texts(graphite.refused_lines),
            (std::vector<std::string>{"server field_count a.b", "server bad_tag a;b 1 2"}));
  StatsdBatch statsd;
  parse_statsd_lines("a:1|q\n_sc|check|9\n_e{1,1}:a|b\n", statsd);
  EXPECT_EQ(texts(statsd.batch.refused_lines),
            (std::vector<std::string>{"server bad_type a:1|q", "server bad_value _sc|check|9",
                                      "server unsupported _e{1,1}:a|b"}));
}

}  // namespace
}  // namespace statmill
