// A batch keeps a limited number of refused lines, each with its sender.
#include "proto/batch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "proto/graphite/parser.h"
#include "proto/istatd/parser.h"
#include "proto/statsd/parser.h"

namespace statmill {
namespace {

LineSender host(uint8_t last_byte) {
  return LineSender::host({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, last_byte});
}

// Returns "10.0.0.1 bad_value a x" for each line.
std::vector<std::string> texts(const std::vector<RefusedLine>& lines) {
  std::vector<std::string> out;
  for (const RefusedLine& l : lines)
    out.push_back(l.sender.text() + " " + std::string(refusal_label(l.reason)) + " " + std::string(l.text));
  return out;
}

TEST(LineSender, HasATextForEachKind) {
  EXPECT_EQ(LineSender{}.text(), "server");
  EXPECT_EQ(LineSender::http().text(), "http");
  EXPECT_EQ(LineSender::local().text(), "unix");
  EXPECT_EQ(host(7).text(), "10.0.0.7");
  LineSender sender = host(7);
  sender.port = 4711;
  EXPECT_EQ(sender.text(), "10.0.0.7:4711");
  EXPECT_EQ(sender.name(), "10.0.0.7");
  const LineSender v6 = LineSender::host({0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7}, 80);
  EXPECT_EQ(v6.text(), "[2001:db8::7]:80");
  EXPECT_EQ(v6.name(), "2001:db8::7");
}

TEST(Batch, KnowsTheSenderOfEachSample) {
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

// Returns "10.0.0.1 a" for each sample.
std::vector<std::string> samples_of(const Batch& batch) {
  std::vector<std::string> out;
  for (size_t i = 0; i < batch.samples.size(); ++i)
    out.push_back(batch.sender_of(i).text() + " " + std::string(batch.samples[i].name));
  return out;
}

TEST(Batch, RemovingSamplesKeepsOrderAndSendersOfTheOthers) {
  Batch batch;
  for (uint8_t i = 1; i <= 3; ++i) {
    batch.set_sender(host(i));
    parse_istatd_lines("a 1\nb 1\n", batch);
  }
  batch.remove_samples({});
  EXPECT_EQ(batch.samples.size(), 6U);
  batch.remove_samples(std::vector<uint32_t>{1, 2, 3, 5});
  EXPECT_EQ(samples_of(batch), (std::vector<std::string>{"10.0.0.1 a", "10.0.0.3 a"}));
  parse_istatd_lines("c 1\n", batch);
  EXPECT_EQ(samples_of(batch).back(), "10.0.0.3 c") << "the last sender stays current";
  batch.remove_samples(std::vector<uint32_t>{0, 1, 2});
  batch.set_sender(host(4));
  parse_istatd_lines("d 1\n", batch);
  EXPECT_EQ(samples_of(batch), (std::vector<std::string>{"10.0.0.4 d"}));
}

RC_GTEST_PROP(Batch, RemovingAnySamplesKeepsTheOthersUnchanged, ()) {
  const auto counts = *rc::gen::container<std::vector<uint8_t>>(rc::gen::inRange<uint8_t>(0, 5));
  Batch batch;
  uint32_t count = 0;
  for (size_t sender = 0; sender < counts.size(); ++sender) {
    batch.set_sender(host(static_cast<uint8_t>(sender % 3)));
    for (uint8_t i = 0; i < counts[sender]; ++i)
      parse_istatd_line(batch.keep("sample." + std::to_string(count++) + " 1"), batch);
  }
  std::vector<std::string> want = samples_of(batch);
  std::vector<uint32_t> removed;
  for (uint32_t i = 0; i < count; ++i) {
    if (*rc::gen::arbitrary<bool>()) removed.push_back(i);
  }
  for (size_t i = removed.size(); i-- > 0;) want.erase(want.begin() + removed[i]);
  batch.remove_samples(removed);
  RC_ASSERT(samples_of(batch) == want);
}

TEST(Batch, ClearKeepsOnlyTheSender) {
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

TEST(Batch, CountsAllRefusalsAndKeepsTheFirstLines) {
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
      << "earlier bad lines leave room for new names";
}

TEST(Batch, CountsOtherKindsAndKeepsTheFirst) {
  Batch batch;
  batch.other_kind = OtherKind::kAccept;
  batch.set_sender(host(1));
  parse_istatd_lines("a 1\nb 1\n", batch);
  for (size_t i = 0; i < 2 * Batch::kRefusedLinesMax; ++i) batch.accept_other_kind(i % 2);
  EXPECT_EQ(batch.other_kinds, 2 * Batch::kRefusedLinesMax);
  EXPECT_EQ(batch.refused[static_cast<size_t>(Refusal::kKindMismatch)], 0U);
  ASSERT_EQ(batch.refused_lines.size(), Batch::kRefusedLinesMax);
  EXPECT_EQ(texts({batch.refused_lines.back()}), (std::vector<std::string>{"10.0.0.1 kind_mismatch b"}));
  EXPECT_TRUE(batch.refused_lines.back().is_accepted);
  batch.clear();
  EXPECT_EQ(batch.other_kinds, 0U);
  EXPECT_EQ(batch.other_kind, OtherKind::kAccept) << "the rule is of the port";
}

TEST(Batch, KeepsRefusedLinesOfEachDialectUnchanged) {
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
  parse_statsd_lines("a:1|q\n_sc|check|9\n_e{1,1}:ab\n", statsd);
  EXPECT_EQ(texts(statsd.batch.refused_lines),
            (std::vector<std::string>{"server bad_type a:1|q", "server bad_value _sc|check|9",
                                      "server field_count _e{1,1}:ab"}));
}

}  // namespace
}  // namespace statmill
