// The line protocol: tables of accepted and refused lines, and laws for any bytes.
#include "proto/istatd/parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "proto/normal_name.h"
#include "tests/proto/batch_text.h"
#include "tests/proto/generated_text.h"
#include "tests/proto/line_laws.h"

namespace statmill {
namespace {

std::vector<std::string> parsed(std::string_view line) {
  Batch batch;
  parse_istatd_line(line, batch);
  EXPECT_TRUE(account_holds(batch)) << line;
  std::vector<std::string> samples;
  for (const Sample& sample : batch.samples) samples.push_back(to_text(sample));
  for (const std::string& refused : refused_texts(batch)) samples.push_back(refused);
  for (const Metadata& m : batch.metadata)
    samples.push_back("meta " + std::string(m.key) + "=" + std::string(m.text));
  return samples;
}

void expect_all(const std::vector<LineCase>& table) {
  for (const LineCase& c : table) EXPECT_EQ(parsed(c.input), c.want) << '"' << c.input << "\": " << c.why;
}

std::string repeated(std::string_view text, size_t times) {
  std::string out;
  while (times-- > 0) out.append(text);
  return out;
}

TEST(IstatdLines, AcceptsTheThreeForms) {
  expect_all({
      {"a.b 1.5", {"gauge a.b 1.5"}, "two fields: the time of receipt"},
      {"a.b 1000 1.5", {"gauge a.b@1000 1.5"}, "three fields"},
      {"a.b 1000 6 14 1 3 3", {"gauge a.b@1000 6 {3 14 1 3}"}, "seven fields"},
      {"*a.b 2", {"event a.b 2"}, "event"},
      {"*a.b 1000 -2", {"event a.b@1000 -2"}, "amounts may be negative"},
      {"*a.b 1000 6 14 1 3 3", {"event a.b@1000 6"}, "an event only uses time and sum"},
      {"*a.b 1000 6 x nan - -1", {"event a.b@1000 6"}, "an event ignores its other fields"},
      {"a -5 1", {"gauge a@-5 1"}, "times before 1970 parse; the table refuses them"},
      {"a +5 +1", {"gauge a@5 1"}, "plus signs"},
      {"a 1 1 1 1 1 0",
       {"gauge a@1 1 {0 1 1 1}"},
       "whether a bucket makes sense is not the parser's business"},
      {"a 1 1 1 1 1 18446744073709551615", {"gauge a@1 1 {18446744073709551615 1 1 1}"}, "largest count"},
      {"a 1 1 1 1 1 +7", {"gauge a@1 1 {7 1 1 1}"}, "plus sign of a count"},
      {"a 1e-7", {"gauge a 1e-07"}, "exponents"},
  });
}

TEST(IstatdLines, AcceptsSamplesOfDistributions) {
  expect_all({
      {"%a.b 1.5", {"distribution a.b 1.5"}, "two fields"},
      {"%a.b 1000 -1.5", {"distribution a.b@1000 -1.5"}, "three fields"},
      {" %A/b 1", {"distribution a_b 1"}, "the mark belongs to the name, like the star"},
      {"%base^a^b^ 5 1",
       {"distribution base.a@5 1", "distribution base.b@5 1", "distribution base@5 1"},
       "it is for all names"},
      {"%%a 1", {"distribution %a 1"}, "only the first one is a mark"},
      {"%*a 1", {"distribution *a 1"}, "there is one kind"},
      {"*%a 1", {"event %a 1"}, "there is one kind"},
      {"a% 1", {"gauge a% 1"}, "only at the begin"},
      {"% 1", {"refused empty_name"}, "no name"},
      {"%a", {"refused field_count"}, "no value"},
      {"%a 1 1 1", {"refused field_count"}, "four fields"},
      {"%a 1000 6 14 1 3 3", {"refused field_count"}, "buckets of distributions are histograms"},
      {"%a 1000 6 14 1 3 3 8th", {"refused field_count"}, "however many fields"},
      {"%a x", {"refused bad_value"}, "not a number"},
      {"%a x 1", {"refused bad_time"}, "not a time"},
  });
}

TEST(IstatdLines, AcceptsHistogramsOfDistributions) {
  expect_all({
      {"%a h5 6 1:1 2:1 3:1", {"distribution a 6 {3 14 1 3 1:1 2:1 3:1}"}, "the time of receipt"},
      {"%a 1000 h5 6 1:1 2:1 3:1", {"distribution a@1000 6 {3 14 1 3 1:1 2:1 3:1}"}, "a time"},
      {"%B^c^ h0 0 0:7", {"distribution b.c 0 {7 0 0 0 0:7}", "distribution b 0 {7 0 0 0 0:7}"}, "fan-out"},
      {"%a\th5  6 \v1:1\f3:1 \r", {"distribution a 6 {2 10 1 3 1:1 3:1}"}, "any white space"},
      {"%a h5 -1e3 1:1", {"distribution a -1000 {1 1 1 1 1:1}"}, "the table checks the sum"},
      {"%a h5", {"refused field_count"}, "no sum"},
      {"%a h5 6", {"refused field_count"}, "no cell"},
      {"%a 5 h5", {"refused field_count"}, "no sum after a time"},
      {"%a 5 h5 6", {"refused field_count"}, "no cell after a time"},
      {"%a 5 6 h5 6 1:1", {"refused field_count"}, "one field too many before it"},
      {"%a x h5 6 1:1", {"refused bad_time"}, "time"},
      {"%a h17 6 1:1", {"refused bad_value"}, "the grouping power is checked first"},
      {"%a h5 x 1:1", {"refused bad_value"}, "then the sum"},
      {"%a h5 nan x", {"refused not_finite"}, "before the cells"},
      {"%a h5 6 1:1 2", {"refused bad_value"}, "a cell without count"},
      {"% h5 6 1:1", {"refused empty_name"}, "no name"},
      {"a h5 6 1:1", {"refused field_count"}, "a gauge has no histogram"},
      {"*a 1 h5 6 1:1 2:1 3:1", {"refused bad_value"}, "nor has an event"},
  });
}

TEST(IstatdLines, AcceptsAHistogramUpToTheLimitOfALine) {
  std::string line = "%a h16 0";
  uint64_t cells = 0;
  while (line.size() + 8 < kLineBytesMax) line.append(" " + std::to_string(cells++) + ":1");
  Batch batch;
  parse_istatd_line(line, batch);
  ASSERT_EQ(batch.samples.size(), 1u);
  EXPECT_TRUE(is_sane(batch.samples[0]));
  EXPECT_EQ(batch.samples[0].ready->count, cells);
  EXPECT_EQ(batch.extra_fields, 0u);
}

TEST(IstatdLines, SkipsAnyWhiteSpace) {
  expect_all({
      {"a 1\r", {"gauge a 1"}, "CRLF"},
      {" \t\v\f\ra \t\v\f\r1 \t\v\f\r", {"gauge a 1"}, "all white space of isspace()"},
      {"", {}, "an empty line is ignored"},
      {"\r", {}, "an empty line of a CRLF sender"},
      {"  \t ", {}, "a line of spaces"},
      {" #a 1", {"gauge #a 1"}, "# marks metadata only as the first byte"},
      {" $a 1", {"gauge $a 1"}, "so do the marks of reserved lines"},
      {" *a 1", {"event a 1"}, "the star belongs to the name"},
  });
}

TEST(IstatdLines, IgnoresFieldsAfterTheSeventhAndCountsTheLine) {
  const auto extra_fields = [](std::string_view line) {
    Batch batch;
    parse_istatd_line(line, batch);
    return batch.extra_fields;
  };
  EXPECT_EQ(parsed("a 1 6 14 1 3 3 8th"), std::vector<std::string>{"gauge a@1 6 {3 14 1 3}"});
  EXPECT_EQ(extra_fields("a 1 6 14 1 3 3 8th 9th"), 1u);
  EXPECT_EQ(extra_fields("*a 1 6 14 1 3 3 8th"), 1u);
  EXPECT_EQ(extra_fields("x^y^z 1 6 14 1 3 3 8th"), 1u) << "lines, not samples";
  EXPECT_EQ(extra_fields("x^y^z 1 6 14 1 3 3"), 0u);
  EXPECT_EQ(extra_fields("a 1 6 14 1 3 3"), 0u);
  EXPECT_EQ(extra_fields("a 1 nan 14 1 3 3 8th"), 0u) << "a refused line does not count";
}

TEST(IstatdLines, RefusesOtherFieldCounts) {
  for (const std::string_view line : {"quit", "a", "*a", "a 1 1 1", "a 1 1 1 1", "a 1 1 1 1 1", "^^ 1 1 1"}) {
    EXPECT_EQ(parsed(line), std::vector<std::string>{"refused field_count"}) << line;
  }
}

TEST(IstatdLines, RefusesBadFieldsWithTheReason) {
  expect_all({
      {"a x", {"refused bad_value"}, "not a number"},
      {"a 0x10", {"refused bad_value"}, "hex"},
      {"a nan", {"refused not_finite"}, "istatd reads it as 0"},
      {"a 1 inf", {"refused not_finite"}, "infinite value"},
      {"a 1e400", {"refused out_of_range"}, "no double can hold it"},
      {"a 12.5 1", {"refused bad_time"}, "whole seconds only"},
      {"a 1e3 1", {"refused bad_time"}, "no exponent"},
      {"a now 1", {"refused bad_time"}, "no words"},
      {"a +-5 1", {"refused bad_time"}, "two signs"},
      {"a + 1", {"refused bad_time"}, "sign alone"},
      {"a 9223372036854775808 1", {"refused bad_time"}, "over 63 bits"},
      {"a x y", {"refused bad_time"}, "the first fault from the left counts"},
      {"a 1 x 14 1 3 3", {"refused bad_value"}, "sum"},
      {"a 1 6 x 1 3 3", {"refused bad_value"}, "sum of squares"},
      {"a 1 6 14 nan 3 3", {"refused not_finite"}, "min"},
      {"a 1 6 14 1 -inf 3", {"refused not_finite"}, "max"},
      {"a 1 6 14 1 3 3.0", {"refused bad_value"}, "a count is an integer"},
      {"a 1 6 14 1 3 -3", {"refused bad_value"}, "a count has no minus"},
      {"a 1 6 14 1 3 +-3", {"refused bad_value"}, "two signs"},
      {"a 1 6 14 1 3 18446744073709551616", {"refused out_of_range"}, "over 64 bits"},
      {"*a 1 nan 14 1 3 3", {"refused not_finite"}, "the sum of an event is used"},
  });
}

TEST(IstatdLines, RefusesReservedFirstBytes) {
  for (const char first : std::string_view("@&;:")) {
    EXPECT_EQ(parsed(first + std::string("a 1")), std::vector<std::string>{"refused reserved"}) << first;
  }
  expect_all({{"!a 1", {"gauge !a 1"}, "not reserved in istatd"},
              {"a@$%&: 1", {"gauge a@$%&_ 1"}, "only at the begin"}});
}

TEST(IstatdLines, FansOutAtCarets) {
  expect_all({
      {"base^a 1", {"gauge base.a 1"}, "one name without the base"},
      {"base^a^b 5 1", {"gauge base.a@5 1", "gauge base.b@5 1"}, "each with time and value"},
      {"base^a^b^ 1", {"gauge base.a 1", "gauge base.b 1", "gauge base 1"}, "a last caret adds the base"},
      {"base^ 1", {"gauge base 1"}, "the base alone"},
      {"^x 1", {"gauge x 1"}, "no base"},
      {"^x^y 1", {"gauge x 1", "gauge y 1"}, "no base, two names"},
      {"*base^a^b 2", {"event base.a 2", "event base.b 2"}, "the star applies to all"},
      {"*^x 2", {"event x 2"}, "star and no base"},
      {"b^c 1 6 14 1 3 3", {"gauge b.c@1 6 {3 14 1 3}"}, "seven fields fan out too"},
      {"a.b^C/d 1", {"gauge a.b.c_d 1"}, "parts are normalised"},
      {"a^b^;t=1;S=^2 1", {"gauge a.b;s=^2;t=1 1", "gauge a;s=^2;t=1 1"}, "tags belong to each name"},
      {"a^b;t 1", {"refused bad_tag"}, "wrong tags refuse all names"},
  });
}

TEST(IstatdLines, RefusesEmptyNamesForTheWholeLine) {
  for (const std::string_view line :
       {"* 1", "a^^b 1", "^ 1", "^^ 1", "a^^ 1", "^x^ 1", "a^b^^ 1", "*^ 1", "^^a 1"}) {
    EXPECT_EQ(parsed(line), std::vector<std::string>{"refused empty_name"}) << line;
  }
}

TEST(IstatdLines, EnforcesItsLimits) {
  const std::string longest(kNameBytesMax, 'n');
  const std::string half(kNameBytesMax / 2, 'n');
  const std::string wide(kFanOutBytesMax / 16 - 2, 'w');
  const std::string line_rest(kLineBytesMax - 3, ' ');
  expect_all({
      {longest + " 1", {"gauge " + longest + " 1"}, "longest name"},
      {"*" + longest + " 1", {"event " + longest + " 1"}, "the star does not count"},
      {longest + "n 1", {"refused name_too_long"}, "one more byte"},
      {"^" + longest + " 1", {"gauge " + longest + " 1"}, "longest name without base"},
      {half + "^" + half.substr(1) + " 1",
       {"gauge " + half + "." + half.substr(1) + " 1"},
       "longest with base"},
      {half + "^" + half + " 1", {"refused name_too_long"}, "the dot counts"},
      {"x^a^" + longest + " 1", {"refused name_too_long"}, "one bad name refuses the line"},
      {longest + "n^ 1", {"refused name_too_long"}, "base alone"},
      {"b" + repeated("^p", kFanOutMax) + " 1", std::vector<std::string>(kFanOutMax, "gauge b.p 1"),
       "most names"},
      {"b" + repeated("^p", kFanOutMax) + "^ 1", {"refused fan_out_limit"}, "the base counts"},
      {"b" + repeated("^p", kFanOutMax + 1) + " 1", {"refused fan_out_limit"}, "one more"},
      {wide + repeated("^p", 16) + " 1", std::vector<std::string>(16, "gauge " + wide + ".p 1"), "16 KiB"},
      {wide + repeated("^p", 16) + "^ 1", {"refused fan_out_limit"}, "more bytes of names"},
      {"a 1" + line_rest, {"gauge a 1"}, "longest line"},
      {"a 1" + line_rest + " ", {"refused line_too_long"}, "one more byte"},
      {"#" + line_rest + "a b", {"refused line_too_long"}, "the limit includes metadata"},
  });
}

TEST(IstatdLines, ReadsMetadata) {
  expect_all({
      {"#hostname web1", {"meta hostname=web1"}, "key and text"},
      {"# \tkey \t two  words \r", {"meta key=two  words"}, "trimmed, inner space kept"},
      {"#Key Text/\xff", {"meta Key=Text/\xff"}, "never changed"},
      {"#key", {"refused bad_metadata"}, "no text"},
      {"#key \r", {"refused bad_metadata"}, "no text"},
      {"#", {"refused bad_metadata"}, "nothing"},
      {"##a b", {"meta #a=b"}, "only the first # is the mark"},
  });
  Batch batch;
  parse_istatd_lines("#a b\n\n\r\n#c d\n", batch);
  EXPECT_EQ(batch.received, 0u) << "metadata and empty lines are not samples";
}

TEST(IstatdLines, RefusedLinesYieldNoSample) {
  for (const std::string_view line : {"a^b^c nan", "a^b^^c 1", "a^b 1 6 14 1 3 x", "%a^b h5 6 1:1 2:x"}) {
    Batch batch;
    parse_istatd_line(line, batch);
    EXPECT_TRUE(batch.samples.empty()) << line;
    EXPECT_EQ(batch.received, 1u) << line << ": a refused line counts once, however many names it has";
  }
}

TEST(IstatdLines, KeepsDecimalsExact) {
  Batch batch;
  parse_istatd_line("a 5 -12.50", batch);
  ASSERT_EQ(batch.samples.size(), 1u);
  EXPECT_EQ(batch.samples[0].value.mantissa, -125);
  EXPECT_EQ(batch.samples[0].value.scale, 1);
}

TEST(IstatdLines, NormalNamesAreViewsOfTheLine) {
  const std::string line = "*already.normal-name;a=b 1";
  Batch batch;
  parse_istatd_line(line, batch);
  ASSERT_EQ(batch.samples.size(), 1u);
  EXPECT_EQ(batch.samples[0].name.data(), line.data() + 1);
}

TEST(IstatdLines, KeptNamesDoNotMoveWhenTheBatchGrows) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines.append("N" + std::to_string(i) + "^Y 1\n");
  Batch batch;
  parse_istatd_lines(lines, batch);
  ASSERT_EQ(batch.samples.size(), 1000u);
  for (size_t i = 0; i < 1000; ++i) EXPECT_EQ(batch.samples[i].name, "n" + std::to_string(i) + ".y");
}

TEST(IstatdLines, LastLineNeedsNoLineFeed) {
  Batch batch;
  parse_istatd_lines("a 1\n\nb 2\r\nc 3", batch);
  ASSERT_EQ(batch.samples.size(), 3u);
  EXPECT_EQ(batch.samples[2].name, "c");
}

TEST(IstatdLines, ClearedBatchIsLikeANewOne) {
  Batch batch;
  parse_istatd_lines("A^b 1\n#k v\nx\na 1 2 3 4 5 6 7\n%a h5 6 6:1\n", batch);
  batch.clear();
  EXPECT_TRUE(same_batch(batch, Batch{}));
}

// Meaningful pieces in random order find more faults than random bytes.
rc::Gen<std::string> line_like_bytes() {
  const auto piece = rc::gen::weightedOneOf<std::string>(
      {{6, rc::gen::element<std::string>("a", "B.c", "*", "^", "^^", "\\", "#", "%", "\xff", "\v")},
       {6,
        rc::gen::element<std::string>("1", "-2.50", "nan", "inf", "1e400", "+", ".", "12345678901234567890")},
       {3, rc::gen::element<std::string>("%a h5 ", "$d a 7 3 5 1 2 2 32737:1", " 32769:1", " 7:2", ":", "h")},
       {8, rc::gen::element<std::string>(" ", "\t", "\n", "\r\n")},
       {1, rc::gen::container<std::string>(rc::gen::arbitrary<char>())}});
  return texts_of(piece);
}

RC_GTEST_PROP(IstatdLines, AnyBytesHaveConsistentCounts, ()) {
  const auto texts = *rc::gen::container<std::vector<std::string>>(100, line_like_bytes());
  for (const std::string& bytes : texts) {
    Batch batch;
    parse_istatd_lines(bytes, batch);
    RC_ASSERT(account_holds(batch));
    for (const Sample& sample : batch.samples) RC_ASSERT(is_sane(sample));
  }
}

RC_GTEST_PROP(IstatdLines, TextParsesTheSameLineByLine, ()) {
  const auto texts = *rc::gen::container<std::vector<std::string>>(100, line_like_bytes());
  for (const std::string& bytes : texts) {
    Batch whole;
    parse_istatd_lines(bytes, whole);
    RC_ASSERT(is_same_line_by_line(whole, bytes, parse_istatd_line));
  }
}

TEST(IstatdLines, ParsesCommonLinesAmongOthersLikeTheGeneralParser) {
  const std::vector<std::string> usual = {"servers.web-01.cpu_idle 1234.25\n",
                                          "a -7\n",
                                          "*requests.by.some_long.name_of.a.series 1\n",
                                          "servers.web-01.cpu.idle 1700000000 -0.50\n",
                                          "*n 1 1234567890123.5\n",
                                          "%shop.latency_ms 320.5\n",
                                          "%a 1700000000 7\n"};
  EXPECT_EQ(unlike_line_by_line(usual, parse_istatd_lines, parse_istatd_line), "");
}

TEST(IstatdLines, NeighbouringLinesHaveTheirOwnTimes) {
  const std::string text =
      "a 17 1\nb 17 2\nc 170 3\nd 17 4\ne 1 5\nf 6\ng 17 7\nh +17 8\ni 17. 9\nj 17 10\n"
      "k 12.5 11\nl  12\nm 5- 13\nn  14\n";
  for (const std::string& lines : {text, text + text}) {
    Batch whole;
    parse_istatd_lines(lines, whole);
    EXPECT_EQ(whole.samples[2].time_s, 170);
    EXPECT_TRUE(is_same_line_by_line(whole, lines, parse_istatd_line));
  }
}

RC_GTEST_PROP(IstatdLines, FindsAnyNameBetweenWhiteSpace, ()) {
  const auto spaces =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::element(' ', '\t', '\v', '\f', '\r')));
  const auto name_byte = rc::gen::suchThat(rc::gen::arbitrary<char>(), [](char c) {
    return std::string_view(" \t\n\v\f\r^;%").find(c) == std::string_view::npos;
  });
  const std::string name = "n" + *rc::gen::container<std::string>(name_byte);
  const std::string line = name + *spaces + "-7" + *spaces + "1.25" + *spaces;
  RC_ASSERT(parsed(line) == std::vector<std::string>{"gauge " + normal_name(name) + "@-7 1.25"});
}

RC_GTEST_PROP(IstatdLines, EveryFanOutYieldsItsNames, ()) {
  const auto word =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::element('a', 'b', '.', '-', '=')));
  const std::string base = *word;
  const auto parts = *rc::gen::suchThat(rc::gen::container<std::vector<std::string>>(word),
                                        [](const auto& p) { return !p.empty() && p.size() <= kFanOutMax; });
  std::string line = "*" + base;
  std::vector<std::string> want;
  for (const std::string& part : parts) {
    line.append("^" + part);
    want.push_back("event " + base + "." + part + "@7 -3");
  }
  RC_PRE(line[1] != '^');
  RC_ASSERT(parsed(line + " 7 -3") == want);
}

}  // namespace
}  // namespace statmill
