// statsd and DogStatsD: tables of accepted and refused lines, and laws for any bytes.
#include "proto/statsd/parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/proto/batch_text.h"
#include "tests/proto/generated_text.h"
#include "tests/proto/statsd/laws.h"

namespace statmill {
namespace {

// Returns each sample and refusal as text. Gauges are "value a 1" or "step a 1", members "member a x".
std::vector<std::string> parsed(std::string_view lines) {
  StatsdBatch batch;
  parse_statsd_lines(lines, batch);
  EXPECT_TRUE(account_holds(batch.batch)) << lines;
  EXPECT_TRUE(is_sane(batch)) << lines;
  std::vector<std::string> texts = refused_texts(batch.batch);
  const size_t refused = texts.size();
  for (const Sample& sample : batch.batch.samples) texts.push_back(to_text(sample));
  for (const StatsdBatch::Gauge& gauge : batch.gauges) {
    std::string& text = texts[refused + gauge.sample];
    text.replace(0, std::string_view("gauge").size(), gauge.is_step ? "step" : "value");
  }
  for (const StatsdBatch::SetMember& m : batch.members) {
    texts.push_back("member " + std::string(m.name) + " " + std::string(m.member));
  }
  return texts;
}

void expect_all(const std::vector<LineCase>& table) {
  for (const LineCase& c : table) EXPECT_EQ(parsed(c.input), c.want) << '"' << c.input << "\": " << c.why;
}

TEST(StatsdLines, AcceptsEveryType) {
  expect_all({
      {"a:1|c", {"event a 1"}, "counter"},
      {"a:-1.5|c", {"event a -1.5"}, "counters may be negative"},
      {"a:1e3|c", {"event a 1000"}, "exponent"},
      {"a:4|g", {"value a 4"}, "gauge"},
      {"a:320.5|ms", {"distribution a 320.5"}, "timer, in milliseconds"},
      {"a:0|ms", {"distribution a 0"}, "zero"},
      {"a:-2|h", {"distribution a -2"}, "histogram"},
      {"a:-2|d", {"distribution a -2"}, "distribution"},
      {"a:x y|s", {"member a x y"}, "set"},
      {"a:1|zz", {"refused bad_type"}, "a counter in statsd"},
      {"a:1|cc", {"refused bad_type"}, "one letter too many"},
      {"a:1|m", {"refused bad_type"}, "one letter too few"},
      {"a:1|", {"refused bad_type"}, "no type"},
      {"a:1", {"refused bad_type"}, "no bar either"},
      {"a:1|C", {"refused bad_type"}, "brubeck's"},
      {"a:1|kv", {"refused bad_type"}, "statsite's"},
  });
}

TEST(StatsdLines, RefusesBadLinesWithTheReason) {
  expect_all({
      {"a", {"refused field_count"}, "no colon"},
      {"|c", {"refused field_count"}, "no name and no value"},
      {":1|c", {"refused empty_name"}, "no name"},
      {"a:x|c", {"refused bad_value"}, "not a number"},
      {"a:|c", {"refused bad_value"}, "no value"},
      {"a:0x10|c", {"refused bad_value"}, "hex"},
      {"a:nan|c", {"refused not_finite"}, "nan"},
      {"a:inf|g", {"refused not_finite"}, "inf"},
      {"a:1e400|c", {"refused out_of_range"}, "no double can hold it"},
      {"a:-1|ms", {"refused bad_value"}, "timers are not negative"},
      {"a:-0|ms", {"distribution a 0"}, "minus zero is zero"},
      {"x/y z:1|c", {"event x/y%20z 1"}, "a blank in the name"},
      {"x\ty:1|c", {"refused bad_name"}, "a tab in the name"},
      {"x\xc2\xad:1|c", {"refused bad_name"}, "a soft hyphen"},
      {"x/y:1|c", {"event x/y 1"}, "a slash stays"},
      {"a\xff:1|c", {"refused bad_name"}, "not UTF-8"},
      {"A.\xc3\xa9:1|c", {"event A.\xc3\xa9 1"}, "UTF-8"},
  });
}

TEST(StatsdLines, SkipsSpaceAroundLineNameAndValues) {
  expect_all({
      {" a:1|c", {"event a 1"}, "before the name"},
      {"a :1|c", {"event a 1"}, "after it"},
      {"a:1 |c", {"event a 1"}, "after the value"},
      {"a: 1|c\r", {"event a 1"}, "before it; CRLF"},
      {"", {}, "an empty line says nothing"},
      {" \t\r", {}, "nor one of spaces"},
      {"a:1|c\n\nb:2|c\r\nc:3|c", {"event a 1", "event b 2", "event c 3"}, "lines; the last needs no LF"},
  });
}

TEST(StatsdLines, ScalesCountersByTheirRate) {
  expect_all({
      {"a:1|c|@0.1", {"event a 10"}, "one of ten"},
      {"a:1|c|@1e-1", {"event a 10"}, "statsd reads 1"},
      {"a:1.5|c|@0.25", {"event a 6"}, "a fraction of one"},
      {"a:1.5|c|@0.05", {"event a 30"}, "one of twenty"},
      {"a:0.25|c|@0.01", {"event a 25"}, "decimals of one of a hundred"},
      {"a:1|c|@1", {"event a 1"}, "all"},
      {"a:3|c|@0.75", {"event a 4"}, "a fractional weight but an integer amount"},
      {"a:0|c|@0.3", {"event a 0"}, "zero at any rate"},
      {"a:1|c|@0", {"refused bad_rate"}, "statsd adds infinity"},
      {"a:1|c|@-1", {"refused bad_rate"}, "below zero"},
      {"a:1|c|@1.5", {"refused bad_rate"}, "above one"},
      {"a:1|c|@", {"refused bad_rate"}, "no rate"},
      {"a:1|c|@x", {"refused bad_rate"}, "a word"},
      {"a:1|c|@1e-9", {"event a 1000000000"}, "the smallest rate"},
      {"a:1|c|@9e-10", {"refused bad_rate"}, "a smaller one"},
      {"a:1|c|0.1", {"refused bad_extension"}, "no @"},
      {"a:1e308|c|@0.1", {"refused out_of_range"}, "no double can hold the amount"},
  });
}

TEST(StatsdLines, WeighsTimersByTheirRate) {
  expect_all({
      {"a:3|ms|@0.1", {"distribution a 30 {10 90 3 3}"}, "ten observations of 3"},
      {"a:1.5|h|@0.5", {"distribution a 3 {2 4.5 1.5 1.5}"}, "two of 1.5"},
      {"a:-2|d|@0.25", {"distribution a -8 {4 16 -2 -2}"}, "four below zero"},
      {"a:3|ms|@0.04", {"distribution a 75 {25 225 3 3}"}, "one of twenty-five"},
      {"a:2|d|@1", {"distribution a 2"}, "one is a plain sample"},
      {"a:2|d|@0.7", {"distribution a 2"}, "1.43, to the nearest integer"},
      {"a:2|d|@0.3", {"distribution a 6 {3 12 2 2}"}, "3.33, to the nearest integer"},
      {"a:5|g|@0.1", {"value a 5"}, "a gauge ignores its rate"},
      {"a:x|s|@0.1", {"member a x"}, "so does a member"},
      {"a:1e200|d|@0.1", {"refused out_of_range"}, "no double can hold the square"},
  });
}

// Tests rates in the table of common rates, other rates, and rates that begin like common ones.
TEST(StatsdLines, EverySpellingOfARateMeansTheSame) {
  for (const std::string rate : {"1", "0.5", "0.25", "0.2", "0.1", "0.05", "0.01", "0.001", "0.04", "0.3",
                                 "0.125", "0.0001", "0.10", "0.011", "0.51"}) {
    const std::string digits = rate.size() == 1 ? rate + "." : rate;
    for (const std::string value : {"1", "0.25", "320.5", "0", "7", "-3.5", "9007199254740992", "0.000001"}) {
      for (const std::string type : {"c", "h"}) {
        const std::string line = "a:" + value + "|" + type + "|@";
        const std::vector<std::string> want = parsed(line + digits + "0000000");
        EXPECT_EQ(want.front().substr(0, 7), type == "c" ? "event a" : "distrib") << line << rate;
        for (const std::string& same : {rate, digits + "0", "+" + rate, rate + "\n"})
          EXPECT_EQ(parsed(line + same), want) << line << same;
      }
    }
  }
}

TEST(StatsdLines, WeightedDecimalsStayExact) {
  StatsdBatch batch;
  const auto sample_of = [&](std::string_view line) {
    parse_statsd_line(line, batch);
    return batch.batch.samples.back();
  };
  const Sample timer = sample_of("a:320.125|ms|@0.1");
  EXPECT_TRUE(same_number(timer.value, Number::decimal(320125 * 10, 3)));
  ASSERT_NE(timer.ready, nullptr);
  EXPECT_TRUE(same_number(timer.ready->sum_of_squares, Number::decimal(int64_t{320125} * 320125 * 10, 6)));
  EXPECT_TRUE(same_number(sample_of("a:0.3|c|@0.1").value, Number::decimal(3, 0)));
  EXPECT_TRUE(same_number(sample_of("a:1|c|@0.3").value, Number::decimal(33'333'333'333'333'335, 16)))
      << "the nearest double";
}

TEST(StatsdLines, MarksStepsOfGauges) {
  expect_all({
      {"a:+4|g", {"step a 4"}, "plus"},
      {"a:-4|g", {"step a -4"}, "minus"},
      {"a:10|g\nb:1|c\na:+4|g\na:2|g", {"value a 10", "event b 1", "step a 4", "value a 2"}, "in order"},
      {"a:1:-2:3|g", {"value a 1", "step a -2", "value a 3"}, "packed"},
      {"a:+4|c", {"event a 4"}, "a counter with a sign is not a step"},
      {"a:+4|h", {"distribution a 4"}, "nor is a histogram"},
  });
}

TEST(StatsdLines, UnpacksValuesAndParts) {
  expect_all({
      {"a:1:2:3|d", {"distribution a 1", "distribution a 2", "distribution a 3"}, "DogStatsD's packing"},
      {"a:1:2|c|@0.5|#t:1", {"event a;t=1 2", "event a;t=1 4"}, "rate and tags apply to all values"},
      {"a:1|c:2|ms", {"event a 1", "distribution a 2"}, "each part has its own type"},
      {"a:1|c|@0.5:2|g", {"event a 2", "value a 2"}, "and its own rate"},
      {"a:1|c|T5:2|g", {"event a@5 1", "value a 2"}, "and its own time"},
      {"a:1|c:2|ms|#t:1", {"event a;t=1 1", "distribution a;t=1 2"}, "tags belong to the name"},
      {"u:a:b|s", {"member u a:b"}, "a member is never packed"},
      {"u:x|s:1|c", {"event u 1", "member u x"}, "a set and a counter"},
      {"u:|s", {"refused bad_value"}, "an empty member"},
      {"a:1:x:3|d", {"refused bad_value"}, "one bad value refuses the line"},
      {"a:1|c:x|c", {"refused bad_value"}, "so does one in a later part"},
      {"a:1|g:u|s:x|c", {"refused bad_value"}, "gauges and members of the line are removed"},
      {"a:1::3|d", {"refused bad_value"}, "nothing between two colons"},
      {"a:1|c:", {"refused bad_type"}, "nothing after the last"},
  });
}

TEST(StatsdLines, ReadsTagsInAllThreeSpellings) {
  const std::string longer(8, 'k');     // fills the bytes of a key that are compared first
  const std::string longest(100, 'v');  // longer than the block that is scanned at once
  expect_all({
      {"a:1|c|#t:1,u", {"event a;t=1;u=true 1"}, "DogStatsD; a flag"},
      {"a,t=1,s=2:1|c", {"event a;s=2;t=1 1"}, "Influx"},
      {"a;t=1;s=2:1|c", {"event a;s=2;t=1 1"}, "Graphite"},
      {"a;s=2:1|c|#t:1,r:0", {"event a;r=0;s=2;t=1 1"}, "two of them"},
      {"a,s=2:1|c|#t:1,r:0", {"event a;r=0;s=2;t=1 1"}, "two others"},
      {"a:1|c|#t:1|#s:2", {"event a;s=2;t=1 1"}, "twice"},
      {"a:1|c|@0.5|#t:1", {"event a;t=1 2"}, "rate before tags"},
      {"a:1|c|#t:1|@0.5", {"event a;t=1 2"}, "tags before rate"},
      {"a:1|c|#url:http://x", {"event a;url=http://x 1"}, "the first colon separates key and value"},
      {"a:1|c|#,t:1,,", {"event a;t=1 1"}, "nothing between commas"},
      {"a:1|c|#", {"event a 1"}, "no tags at all"},
      {"a:1|c|#t:1,t:1", {"event a;t=1 1"}, "a repeated pair"},
      {"a:1|c|#" + longer + "2:x," + longer + "1:y",
       {"event a;" + longer + "1=y;" + longer + "2=x 1"},
       "long keys"},
      {"a:1|c|#" + longer + "1:x," + longer + "2:y",
       {"event a;" + longer + "1=x;" + longer + "2=y 1"},
       "in order"},
      {"a:1|c|#" + longer + ":x," + longer + "2:y",
       {"event a;" + longer + "=x;" + longer + "2=y 1"},
       "one key begins with another"},
      {"a:1|c|#" + longer + ":x," + longer + ":y", {"refused duplicate_tag"}, "two values of a long key"},
      {"a:1|c|#k:" + longest + ",l:x", {"event a;k=" + longest + ";l=x 1"}, "a long value"},
      {"a:1|c|#l:x,k:" + longest, {"event a;k=" + longest + ";l=x 1"}, "out of order"},
      {"~a:1|c", {"event a 1"}, "names lose a leading ~"},
      {"a;k=x,y:1|c", {"event a;k=x,y 1"}, "a comma in Graphite's spelling"},
  });
}

TEST(StatsdLines, EscapesWhatATagCannotHave) {
  expect_all({
      {"a:1|c|#k=v", {"event a;k%3Dv=true 1"}, "= in a key"},
      {"a:1|c|#k:v;w", {"event a;k=v%3Bw 1"}, "a ; in a value"},
      {"a,k=v;w:1|c", {"event a;k=v%3Bw 1"}, "a ; in Influx's spelling"},
      {"a:1|c|#k:~v", {"event a;k=%7Ev 1"}, "a value that begins with ~"},
      {"a:1|c|#z:1,k:v w", {"event a;k=v%20w;z=1 1"}, "a blank"},
      {"a:1|c|#name:b,i:1", {"event a;%6Eame=b;i=1 1"}, "the key that means the path"},
      {"a%2520:1|c|#k:100%,j:%41", {"event a%2520;j=A;k=100% 1"}, "escapes in their canonical spelling"},
      {"a b;k=v:1|c", {"event a%20b;k=v 1"}, "a blank before Graphite's spelling"},
  });
}

TEST(StatsdLines, RefusesBadTags) {
  expect_all({
      {"a:1|c|#t:", {"refused bad_tag"}, "no value"},
      {"a:1|c|#:v", {"refused bad_tag"}, "no key"},
      {"a:1|c|#k:\xff", {"refused bad_name"}, "not UTF-8"},
      {"a:1|c|#k:v\xe2\x80\x8b", {"refused bad_name"}, "a zero-width blank"},
      {"a:1|c|#k:v%e2%80%8b", {"refused bad_name"}, "as an escape"},
      {"a:1|c|#t:1,t:2", {"refused duplicate_tag"}, "two values"},
      {"a;t=1:1|c|#t:2", {"refused duplicate_tag"}, "in two spellings"},
      {"a,b:1|c", {"refused bad_tag"}, "no = in Influx's spelling"},
      {"a,:1|c", {"refused bad_tag"}, "nothing after the comma"},
      {"a;k:1|c", {"refused bad_tag"}, "no = in Graphite's"},
      {",k=v:1|c", {"refused empty_name"}, "tags without a path"},
  });
}

TEST(StatsdLines, ReadsExtensionsInAnyOrder) {
  expect_all({
      {"a:1|g|T1700000000", {"value a@1700000000 1"}, "time"},
      {"a:1|c|T-5", {"event a@-5 1"}, "before 1970; the table refuses it"},
      {"a:1|c|Tx", {"refused bad_time"}, "not a time"},
      {"a:1|c|T1.5", {"refused bad_time"}, "whole seconds"},
      {"a:x|s|T5", {"refused bad_time"}, "sets have the time of receipt"},
      {"a:1|c|c:83c0a99c|e:it-false,cn-x|card:low", {"event a 1"}, "the sender's identity is ignored"},
      {"a:1|c|z:future|#t:1", {"event a;t=1 1"}, "an unknown letter"},
      {"a:1|c|", {"event a 1"}, "an empty one"},
      {"a:1|c||@0.5", {"event a 2"}, "an empty one between"},
      {"a:1|c|?", {"refused bad_extension"}, "not a letter"},
  });
}

TEST(StatsdLines, ReadsServiceChecksAsGauges) {
  expect_all({
      {"_sc|disk|0", {"gauge disk 0"}, "name and status"},
      {"_sc|disk|2|d:1700000000|h:web1|#t:1|m:a|b", {"gauge disk;host=web1;t=1@1700000000 2"}, "all fields"},
      {"_sc|disk|3|m:x|d:nonsense", {"gauge disk 3"}, "all after m: is the message"},
      {"_sc|disk|1|c:id", {"gauge disk 1"}, "the sender's identity is ignored"},
      {"_sc|disk|4", {"refused bad_value"}, "no such status"},
      {"_sc|disk|", {"refused bad_value"}, "no status"},
      {"_sc|disk|00", {"refused bad_value"}, "two digits"},
      {"_sc|disk", {"refused field_count"}, "no bar"},
      {"_sc||0", {"refused empty_name"}, "no name"},
      {"_sc|disk|0|d:now", {"refused bad_time"}, "not a time"},
      {"_sc|disk|0|h:", {"refused bad_tag"}, "no host"},
      {"_sc|a b|0", {"gauge a%20b 0"}, "a blank"},
      {"_sc:1|c", {"event _sc 1"}, "an ordinary name"},
  });
}

TEST(StatsdLines, KeepsTagsOfAnyText) {
  expect_all({{"a:1|c|#place:Le Havre,\xd0\xba\xd0\xbb\xd1\x8e\xd1\x87:\xc3\xa9",
               {"event a;place=Le%20Havre;\xd0\xba\xd0\xbb\xd1\x8e\xd1\x87=\xc3\xa9 1"},
               "blanks in a value, a key that is not ASCII"},
              {"a:1|c|#my key:1", {"event a;my%20key=1 1"}, "a blank in a key"}});
}

TEST(StatsdLines, EnforcesItsLimits) {
  const std::string longest(kNameBytesMax, 'n');
  const std::string tagged(kNameBytesMax - 4, 'n');
  std::string tags;
  for (size_t i = 0; i < kTagsMax; ++i) tags.append("k" + std::to_string(100 + i) + ",");
  const std::string line_rest(kLineBytesMax - 5, ' ');
  expect_all({
      {longest + ":1|c", {"event " + longest + " 1"}, "longest path"},
      {longest + "n:1|c", {"refused name_too_long"}, "one more byte"},
      {tagged + ":1|c|#k:v", {"event " + tagged + ";k=v 1"}, "longest with tags"},
      {tagged + ":1|c|#k:vv", {"refused name_too_long"}, "one more byte of tags"},
      {tagged + ";k=v:1|c", {"event " + tagged + ";k=v 1"}, "longest in Graphite's spelling"},
      {tagged + ";k=vv:1|c", {"refused name_too_long"}, "one more byte of it"},
      {"a:1|c|#" + tags + "l:v", {"refused tag_limit"}, "one more tag"},
      {"a:1|c" + line_rest, {"event a 1"}, "longest line"},
      {"a:1|c" + line_rest + " ", {"refused line_too_long"}, "one more byte"},
  });
  EXPECT_EQ(parsed("a:1|c|#" + tags).size(), 1u);
  EXPECT_EQ(parsed("a:1|c|#" + tags).front().substr(0, 8), "event a;") << "most tags";
}

TEST(StatsdLines, MembersDoNotCountAsReceived) {
  StatsdBatch batch;
  parse_statsd_lines("u:x|s\nu:y|s\na:1|c\nu:|s\n", batch);
  EXPECT_EQ(batch.members.size(), 2u);
  EXPECT_EQ(batch.batch.received, 2u);
}

TEST(StatsdLines, CountsRenamedLinesOnce) {
  StatsdBatch batch;
  parse_statsd_lines("~a:1:2|c\n~b:x|s\n~c:x|c\nd:1|c\n", batch);
  EXPECT_EQ(batch.batch.renamed, 2u);
}

TEST(StatsdLines, CanonicalNamesAndMembersAreViewsOfTheLine) {
  for (const std::string line : {"a.b:1|c", "a.b;s=2;t=1:1|c", "a.b;t=1:u|s"}) {
    StatsdBatch batch;
    parse_statsd_line(line, batch);
    for (const Sample& sample : batch.batch.samples) EXPECT_EQ(sample.name.data(), line.data()) << line;
    for (const StatsdBatch::SetMember& m : batch.members) EXPECT_EQ(m.name.data(), line.data()) << line;
  }
}

TEST(StatsdLines, ClearedBatchIsLikeANewOne) {
  StatsdBatch batch;
  parse_statsd_lines("a:1|c|#t:1\nb:+1|g\nu:x|s\nx\n~c:1|c\n", batch);
  batch.clear();
  EXPECT_TRUE(same_batch(batch, StatsdBatch{}));
}

rc::Gen<std::string> line_like_bytes() {
  const auto piece = rc::gen::weightedOneOf<std::string>(
      {{4, rc::gen::element<std::string>("a", "B.c", "~", ",k=v", ";k=v", ";", ",", "=", "_sc|x|1", "_e{")},
       {4, rc::gen::element<std::string>(":1", ":-2.50", ":+3", ":x", ":nan", ":1e400", ":", "0", ":1:2")},
       {4, rc::gen::element<std::string>("|c", "|g", "|ms", "|h", "|d", "|s", "|zz", "|")},
       {4, rc::gen::element<std::string>("|@0.1", "|@0.3", "|@", "|#t:1", "|#u,v:2", "|T5", "|c:id", "|m:")},
       {1, rc::gen::element<std::string>("\xff", "\xc3\xa9", "\v", " ", "|h:x", "|d:7")},
       {3, rc::gen::element<std::string>("\n", "\r\n")},
       {1, rc::gen::container<std::string>(rc::gen::arbitrary<char>())}});
  return texts_of(piece);
}

RC_GTEST_PROP(StatsdLines, AnyBytesHaveConsistentCountsAndParseTheSameLineByLine, ()) {
  const auto texts = *rc::gen::container<std::vector<std::string>>(100, line_like_bytes());
  for (const std::string& text : texts) {
    RC_ASSERT(law_broken_by_statsd(text) == "");
  }
}

RC_GTEST_PROP(StatsdLines, EverySpellingYieldsTheCanonicalName, ()) {
  const auto word =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::element('a', 'b', '.', '-', 'Z')));
  const std::string path = *word;
  const auto tags = *rc::gen::container<std::map<std::string, std::string>>(word, word);
  RC_PRE(!tags.empty() && tags.size() <= kTagsMax);
  std::string graphite = path;
  std::string influx = path;
  std::string dog = path + ":1.25|g|#";
  for (const auto& [key, value] : tags) {
    graphite.append(";" + key + "=" + value);
    influx.append("," + key + "=" + value);
    dog.append(key + ":" + value + ",");
  }
  RC_PRE(graphite.size() <= kNameBytesMax);
  const std::vector<std::string> want = {"value " + graphite + " 1.25"};
  RC_ASSERT(parsed(graphite + ":1.25|g") == want);
  RC_ASSERT(parsed(influx + ":1.25|g") == want);
  RC_ASSERT(parsed(dog) == want);
}

}  // namespace
}  // namespace statmill
