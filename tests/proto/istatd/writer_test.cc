// Writing any parsed sample and parsing the line again yields the same sample.
#include "proto/istatd/writer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "proto/canonical_name.h"
#include "proto/graphite/parser.h"
#include "proto/statsd/parser.h"
#include "tests/proto/batch_text.h"
#include "tests/proto/finite_doubles.h"
#include "tests/proto/line_laws.h"

namespace statmill {
namespace {

constexpr int64_t kTime = 1'700'000'000;

std::string written(const Sample& sample) {
  Sample timed = sample;
  if (!timed.time_s) timed.time_s = kTime;
  std::string line;
  append_line(line, timed);
  return line;
}

std::string rewritten(std::string_view line) {
  Batch batch;
  parse_istatd_lines(line, batch);
  std::string text;
  for (const Sample& sample : batch.samples) text += written(sample);
  return text;
}

// Returns the first written line that parses to another sample, or an empty string.
std::string changed_sample(const Batch& batch) {
  for (const Sample& sample : batch.samples) {
    Sample want = sample;
    if (!want.time_s) want.time_s = kTime;
    const std::string line = written(sample);
    Batch again;
    parse_istatd_lines(line, again);
    if (again.samples.size() != 1 || !same_sample(again.samples.front(), want)) return line;
  }
  return "";
}

TEST(LineWriter, WritesOrdinaryLinesIfTheyLoseNothing) {
  EXPECT_EQ(rewritten("a.b 12.50\n*a -0.001\n%a 1e3"),
            "a.b 1700000000 12.5\n*a 1700000000 -0.001\n%a 1700000000 1000\n");
  EXPECT_EQ(rewritten("a;b=c 7 6 14 1 3 3"), "a;b=c 7 6 14 1 3 3\n");
  EXPECT_EQ(rewritten("base^x^ 7 1"), "base.x 7 1\nbase 7 1\n");
  EXPECT_EQ(rewritten("%a 7 h5 41 20:1 21:1"), "$d a 7 41 841 20 21 2 32873:1 32875:1\n");
  EXPECT_EQ(rewritten("**a 7 1"), "$e *a 7 1\n");
}

TEST(LineWriter, WrittenNumbersParseToTheSameNumbers) {
  for (const char* number :
       {"0", "1", "-1", "0.5", "-0.001", "123456.78", "9007199254740992", "0.000000000000001",
        "33.501999999999995", "-999999999999999999", "0.999999999999999999", "0.000000000000000001", "1e18",
        "1.7976931348623157e+308", "5e-324", "-12345678901234567890", "0.1234567890123456789"}) {
    Number in;
    ASSERT_TRUE(parse_number(number, in).is_accepted()) << number;
    std::string text;
    append_number(text, in);
    Number out;
    ASSERT_TRUE(parse_number(text, out).is_accepted()) << number << " " << text;
    EXPECT_TRUE(same_number(in, out)) << number << " " << text;
  }
}

TEST(LineWriter, WrittenSamplesOfEachDialectParseToTheSameSamples) {
  Batch istatd;
  parse_istatd_lines("a^b^ 1.25\n*x -3\n%lat 7 1.5\n%lat h2 100 3:4 9:1\na;x=1 5 6 14 1 3 3\n*%x 1\n",
                     istatd);
  ASSERT_EQ(istatd.samples.size(), 7U);
  EXPECT_EQ(changed_sample(istatd), "");
  Batch graphite;
  parse_graphite_lines("Disk/Used;host=Web1 12.5 7\n*star 1\n$a;b=^c 2\n\xc3\xa4 3\na 1e300 N\n", graphite);
  ASSERT_EQ(graphite.samples.size(), 5U);
  EXPECT_EQ(changed_sample(graphite), "");
  StatsdBatch statsd;
  parse_statsd_lines("Web.req:1|c|@0.1|#b:2,a:1\nlat:12.5|ms|@0.001\ng:3|g\nd:0.1:7|d|@0.3\n", statsd);
  ASSERT_EQ(statsd.batch.samples.size(), 5U);
  EXPECT_EQ(changed_sample(statsd.batch), "");
}

RC_GTEST_PROP(LineWriter, WrittenNamesParseToTheSameNames, ()) {
  const std::string text = *rc::gen::nonEmpty(rc::gen::container<std::string>(
      rc::gen::map(rc::gen::inRange(33, 127), [](int c) { return static_cast<char>(c); })));
  const auto name = spelled_name(text);
  RC_PRE(name.has_value());
  Batch batch;
  Sample& sample = batch.samples.emplace_back();
  sample.name = batch.keep(std::string_view(*name));
  sample.kind = *rc::gen::element(Kind::kGauge, Kind::kEvent, Kind::kDistribution, Kind::kCounter);
  sample.value =
      Number::decimal(*rc::gen::inRange<int64_t>(-1'000'000, 1'000'000), *rc::gen::inRange<int8_t>(0, 16));
  RC_ASSERT(changed_sample(batch) == "");
}

}  // namespace
}  // namespace statmill
