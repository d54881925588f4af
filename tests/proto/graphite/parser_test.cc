// Graphite's plaintext protocol: tables of accepted and refused lines, and laws for any bytes.
#include "proto/graphite/parser.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/proto/batch_text.h"
#include "tests/proto/generated_text.h"
#include "tests/proto/tag_laws.h"

namespace statmill {
namespace {

std::vector<std::string> parsed(std::string_view line) {
  Batch batch;
  parse_graphite_line(line, batch);
  EXPECT_TRUE(account_holds(batch)) << line;
  std::vector<std::string> texts = refused_texts(batch);
  for (const Sample& sample : batch.samples) {
    EXPECT_TRUE(is_sane_tagged(sample)) << line;
    texts.push_back(to_text(sample));
  }
  return texts;
}

void expect_all(const std::vector<LineCase>& table) {
  for (const LineCase& c : table) EXPECT_EQ(parsed(c.input), c.want) << '"' << c.input << "\": " << c.why;
}

TEST(GraphiteLines, AcceptsTwoOrThreeFields) {
  expect_all({
      {"a.b 1.5 1000", {"gauge a.b@1000 1.5"}, "as carbon wants it"},
      {"a.b 1.5", {"gauge a.b 1.5"}, "two fields: the time is the receiver's"},
      {"a.b\t1.5 \t 1000\r", {"gauge a.b@1000 1.5"}, "tabs, runs of space, CRLF"},
      {"  a.b 1.5 1000  ", {"gauge a.b@1000 1.5"}, "space around the line"},
      {"", {}, "an empty line says nothing"},
      {" \t\r", {}, "nor one of spaces"},
      {"a", {"refused field_count"}, "a name alone"},
      {"a b 1 1000", {"refused field_count"}, "a space in the name"},
  });
}

TEST(GraphiteLines, ReadsTimesAsCarbonDoes) {
  expect_all({
      {"a 1 1000.9", {"gauge a@1000 1"}, "cut to seconds"},
      {"a 1 1.7e9", {"gauge a@1700000000 1"}, "a float is a time"},
      {"a 1 +5", {"gauge a@5 1"}, "plus sign"},
      {"a 1 -1", {"gauge a 1"}, "now"},
      {"a 1 -1.0", {"gauge a 1"}, "now, as a float"},
      {"a 1 N", {"gauge a 1"}, "now, as in rrdtool"},
      {"a 1 -1.5", {"gauge a@-1 1"}, "not now"},
      {"a 1 -5", {"gauge a@-5 1"}, "times before 1970 parse; the table refuses them"},
      {"a 1 -0.5", {"gauge a@0 1"}, "cut towards zero"},
      {"a 1 9223372036854775807", {"gauge a@9223372036854775807 1"}, "the largest"},
      {"a 1 9223372036854775808", {"refused bad_time"}, "one more"},
      {"a 1 -1e30", {"refused bad_time"}, "far below"},
      {"a 1 nan", {"refused bad_time"}, "not a number"},
      {"a 1 inf", {"refused bad_time"}, "not finite"},
      {"a 1 now", {"refused bad_time"}, "a word"},
      {"a 1 n", {"refused bad_time"}, "only the capital"},
  });
}

TEST(GraphiteLines, ReadsValuesAsNumbersOnly) {
  expect_all({
      {"a 1e3 1", {"gauge a@1 1000"}, "exponent"},
      {"a +4 1", {"gauge a@1 4"}, "plus sign"},
      {"a -4.5 1", {"gauge a@1 -4.5"}, "minus sign"},
      {"a 1_000 1", {"refused bad_value"}, "Python accepts underscores"},
      {"a inf 1", {"refused not_finite"}, "carbon accepts it"},
      {"a nan 1", {"refused not_finite"}, "carbon drops it silently"},
      {"a 0x10 1", {"refused bad_value"}, "hex"},
      {"a 1,5 1", {"refused bad_value"}, "a comma"},
      {"a \xd9\xa3 1", {"refused bad_value"}, "digits of other scripts, which Python accepts"},
      {"a 1e400 1", {"refused out_of_range"}, "no double can hold it"},
      {"a x y", {"refused bad_value"}, "the first fault from the left counts"},
  });
}

TEST(GraphiteLines, SortsTags) {
  expect_all({
      {"a.b;t=1;s=2 1", {"gauge a.b;s=2;t=1 1"}, "sorted by tag"},
      {"a.b;s=2;t=1 1", {"gauge a.b;s=2;t=1 1"}, "already in order"},
      {"a;k=v=w 1", {"gauge a;k=v=w 1"}, "only the first = separates tag and value"},
      {"a;k=v;k=v 1", {"gauge a;k=v 1"}, "a repeated pair adds nothing"},
      {"a;aa=1;a=2 1", {"gauge a;a=2;aa=1 1"}, "a key precedes longer keys that begin with it"},
      {"a;a-b=1;a=2 1", {"gauge a;a=2;a-b=1 1"}, "keys are compared, not pairs"},
      {"a;\xc3\xa9=1;z=2 1", {"gauge a;z=2;\xc3\xa9=1 1"}, "by bytes, those above 127 last"},
      {"a;k=x~!^{\"},:y 1", {"gauge a;k=x~!^{\"},:y 1"}, "values may have any other byte"},
      {"A.B;K=V 1", {"gauge A.B;K=V 1"}, "capitals stay"},
  });
}

TEST(GraphiteLines, RefusesBadTags) {
  expect_all({
      {"a.b;t= 1", {"refused bad_tag"}, "no value"},
      {"a;=x 1", {"refused bad_tag"}, "no key"},
      {"a;k 1", {"refused bad_tag"}, "no ="},
      {"a; 1", {"refused bad_tag"}, "nothing after the ;"},
      {"a;;k=v 1", {"refused bad_tag"}, "nothing between two"},
      {"a;k=v; 1", {"refused bad_tag"}, "nothing after the last"},
      {"a;k=v;k=w 1", {"refused duplicate_tag"}, "carbon keeps the last"},
      {"a;k=v;j=1;k=w 1", {"refused duplicate_tag"}, "with another tag between"},
      {";k=v 1", {"refused empty_name"}, "tags without a path"},
  });
}

TEST(GraphiteLines, EscapesWhatATagCannotHave) {
  expect_all({
      {"a;k!=v 1", {"gauge a;k%21=v 1"}, "! in a key"},
      {"a;k^=v 1", {"gauge a;k%5E=v 1"}, "^ in a key"},
      {"a;k=~v 1", {"gauge a;k=%7Ev 1"}, "a value that begins with ~"},
      {"a;~k=v 1", {"gauge a;%7Ek=v 1"}, "a key that begins with ~"},
      {"a;name=b 1", {"gauge a;%6Eame=b 1"}, "the key that means the path"},
      {"a;%6Eame=b;b=x 1", {"gauge a;%6Eame=b;b=x 1"}, "escapes stay"},
      {"a;%6eame=b;%62=x 1", {"gauge a;%6Eame=b;b=x 1"}, "in their canonical spelling"},
      {"a;%62=y;b=x 1", {"refused duplicate_tag"}, "two spellings of one key"},
      {"a%20b%41;k=%3b 1", {"gauge a%20bA;k=%3B 1"}, "in a path"},
      {"a;k=v%E2%80%8D 1", {"refused bad_name"}, "a zero-width joiner"},
      {"a;z=$x;b=! 1", {"gauge a;b=!;z=$x 1"}, "other bytes stay"},
  });
}

TEST(GraphiteLines, RemovesLeadingTildesFromAPath) {
  expect_all({
      {"~~m;k=v 1", {"gauge m;k=v 1"}, "with tags"},
      {"~m 1", {"gauge m 1"}, "without"},
      {"m~ 1", {"gauge m~ 1"}, "only leading ones"},
      {"~~ 1", {"refused empty_name"}, "nothing is left"},
      {"~;k=v 1", {"refused empty_name"}, "nothing but tags is left"},
  });
  Batch batch;
  parse_graphite_lines("~m 1\n~m x\n~~m;k=v 1\nm 1\n", batch);
  EXPECT_EQ(batch.renamed, 2u) << "accepted lines";
}

TEST(GraphiteLines, ReadsLabelsOfOpenMetrics) {
  expect_all({
      {R"(m{a="1",b="x\"y"} 1)", {R"(gauge m;a=1;b=x"y 1)"}, "an escaped quote"},
      {R"(m{b="x\\y",a="1"} 1)", {R"(gauge m;a=1;b=x\y 1)"}, "an escaped backslash; sorted"},
      {R"(~m{a="}"} 1)", {"gauge m;a=} 1"}, "braces in values; leading ~"},
      {R"(m{a="1,b="} 1)", {"gauge m;a=1,b= 1"}, "a value that looks like labels"},
      {R"(m{a=""} 1)", {"refused bad_tag"}, "no value"},
      {R"(m{a="\n"} 1)", {"refused bad_tag"}, "another escape"},
      {R"(m{a="1"b="2"} 1)", {"refused bad_tag"}, "no comma"},
      {R"(m{a="1",} 1)", {"gauge m{a=\"1\",} 1"}, "a path, as in carbon"},
      {R"(m{a="1","} 1)", {"refused bad_tag"}, "no key"},
      {R"(m{"} 1)", {"refused bad_tag"}, "no label"},
      {R"(m{a="x\"} 1)", {"refused bad_tag"}, "no closing quote"},
      {R"(m{a="1;2"} 1)", {"gauge m;a=1%3B2 1"}, "a ; in a value"},
      {R"(m;a=1{b="2"} 1)", {"refused bad_tag"}, "tags before labels"},
      {R"(m{a="1",a="2"} 1)", {"refused duplicate_tag"}, "two values"},
      {R"({a="1"} 1)", {"refused empty_name"}, "no path"},
      {R"(m;k="} 1)", {"gauge m;k=\"} 1"}, "no opening brace: ordinary tags"},
      {"m{} 1", {"gauge m{} 1"}, "no label: a path"},
  });
}

TEST(GraphiteLines, RefusesForbiddenBytesInNames) {
  expect_all({
      {std::string("a\0b 1", 5), {"refused bad_name"}, "NUL"},
      {"a\x01"
       "b 1",
       {"refused bad_name"},
       "control"},
      {"a.long.name\x7f 1", {"refused bad_name"}, "DEL"},
      {"a.long.enough;k=v\x01 1", {"refused bad_name"}, "in tags"},
      {"a\xff 1", {"refused bad_name"}, "not UTF-8"},
      {"a\xc3 1", {"refused bad_name"}, "a truncated sequence"},
      {"a\xc0\xaf 1", {"refused bad_name"}, "overlong"},
      {"a\xed\xa0\x80 1", {"refused bad_name"}, "a surrogate"},
      {"a\xf4\x90\x80\x80 1", {"refused bad_name"}, "above U+10FFFF"},
      {"a\xc2\x85 1", {"refused bad_name"}, "C1"},
      {"a;k=\xe2\x80\xae 1", {"refused bad_name"}, "a control of the direction of writing"},
      {"\xc3\xa9.\xe2\x82\xac.\xf0\x9f\x98\x80 1",
       {"gauge \xc3\xa9.\xe2\x82\xac.\xf0\x9f\x98\x80 1"},
       "UTF-8"},
      {"a/b:c,d^*?[e]..f 1", {"gauge a/b:c,d^*?[e]..f 1"}, "every other byte stays"},
  });
}

std::string tags_of(size_t count) {
  std::string tags;
  for (size_t i = 0; i < count; ++i) tags.append(";k" + std::to_string(100 + i) + "=v");
  return tags;
}

TEST(GraphiteLines, EnforcesItsLimits) {
  const std::string longest(kNameBytesMax, 'n');
  const std::string tagged = std::string(kNameBytesMax - 4, 'n') + ";k=v";
  const std::string labelled = std::string(kNameBytesMax - 4, 'n') + R"({k="v"})";
  const std::string most_tags = "a" + tags_of(kTagsMax);
  const std::string line_rest(kLineBytesMax - 3, ' ');
  expect_all({
      {longest + " 1", {"gauge " + longest + " 1"}, "longest path"},
      {longest + "n 1", {"refused name_too_long"}, "one more byte"},
      {"~" + longest + " 1", {"gauge " + longest + " 1"}, "the canonical name counts"},
      {tagged + " 1", {"gauge " + tagged + " 1"}, "longest with tags"},
      {tagged + "v 1", {"refused name_too_long"}, "one more byte of tags"},
      {labelled + " 1", {"gauge " + tagged + " 1"}, "longest canonical name with labels"},
      {"n" + labelled + " 1", {"refused name_too_long"}, "one more byte before labels"},
      {most_tags + " 1", {"gauge " + most_tags + " 1"}, "most tags"},
      {most_tags + ";l=v 1", {"refused tag_limit"}, "one more"},
      {most_tags + ";k100=v 1", {"gauge " + most_tags + " 1"}, "one of them again"},
      {"a 1" + line_rest, {"gauge a 1"}, "longest line"},
      {"a 1" + line_rest + " ", {"refused line_too_long"}, "one more byte"},
  });
}

TEST(GraphiteLines, CanonicalNamesAreViewsOfTheLine) {
  for (const std::string line : {"a.b 1", "a.b;s=2;t=1 1", "a.b;k=v=w 1 1"}) {
    Batch batch;
    parse_graphite_line(line, batch);
    ASSERT_EQ(batch.samples.size(), 1u);
    EXPECT_EQ(batch.samples[0].name.data(), line.data()) << line;
  }
}

TEST(GraphiteLines, KeepsDecimalsExact) {
  Batch batch;
  parse_graphite_line("a -12.50 5", batch);
  ASSERT_EQ(batch.samples.size(), 1u);
  EXPECT_EQ(batch.samples[0].value.mantissa, -125);
  EXPECT_EQ(batch.samples[0].value.scale, 1);
}

rc::Gen<std::string> line_like_bytes() {
  const auto piece = rc::gen::weightedOneOf<std::string>(
      {{8,
        rc::gen::element<std::string>("a", "B.c", ";", "=", ";k=v", ";j=w", "{", "=\"", "\",", "\"}", "~")},
       {1, rc::gen::element<std::string>("\\", "!", "^", "\xff", "\xc3\xa9", "\v", "name")},
       {4, rc::gen::element<std::string>("1", "-2.50", "-1", "N", "nan", "1e400", "1.7e9")},
       {6, rc::gen::element<std::string>(" ", "\t", "\n", "\r\n")},
       {1, rc::gen::container<std::string>(rc::gen::arbitrary<char>())}});
  return texts_of(piece);
}

RC_GTEST_PROP(GraphiteLines, AnyBytesHaveConsistentCountsAndParseTheSameLineByLine, ()) {
  const auto texts = *rc::gen::container<std::vector<std::string>>(100, line_like_bytes());
  for (const std::string& text : texts) {
    const ExactCopy bytes(text);
    Batch whole;
    parse_graphite_lines(bytes.text(), whole);
    RC_ASSERT(account_holds(whole));
    for (const Sample& sample : whole.samples) RC_ASSERT(is_sane_tagged(sample));
    RC_ASSERT(is_same_line_by_line(whole, bytes.text(), parse_graphite_line));
  }
}

TEST(GraphiteLines, ParsesCommonLinesAmongOthersLikeTheGeneralParser) {
  const std::vector<std::string> usual = {"servers.web-01.cpu_idle 1234.25 1700000000\n", "a -7 -1\n",
                                          "B/c:d 1 1700000000.5\n", "disk;dev=sda;host=web-01 0.5 N\n",
                                          "a;k=v 12345678901 17\n"};
  EXPECT_EQ(unlike_line_by_line(usual, parse_graphite_lines, parse_graphite_line), "");
}

RC_GTEST_PROP(GraphiteLines, TagsInAnyOrderYieldTheCanonicalName, ()) {
  const auto word = rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::element('a', 'b', '.', '-', ':', '/', ',', 'Z')));
  const std::string path = *word;
  const auto tags = *rc::gen::container<std::map<std::string, std::string>>(word, word);
  RC_PRE(tags.size() <= kTagsMax);
  std::vector<std::string> pairs;
  std::string canonical = path;
  for (const auto& [key, value] : tags) {
    pairs.push_back(";" + key + "=" + value);
    canonical.append(pairs.back());
  }
  RC_PRE(canonical.size() <= kNameBytesMax);
  std::string line = path;
  while (!pairs.empty()) {
    const auto next = pairs.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(pairs));
    line.append(*next);
    pairs.erase(next);
  }
  RC_ASSERT(parsed(line + " -3.25 77") == std::vector<std::string>{"gauge " + canonical + "@77 -3.25"});
  RC_ASSERT(parsed(canonical + " -3.25 77") == parsed(line + " -3.25 77"));
}

}  // namespace
}  // namespace statmill
