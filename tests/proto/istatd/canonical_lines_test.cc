// Lines at all doors but istatd's own: names are not folded, and get the tags of their block.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "proto/istatd/parser.h"
#include "tests/proto/batch_text.h"
#include "tests/proto/generated_text.h"
#include "tests/proto/line_laws.h"
#include "tests/proto/tag_laws.h"

namespace statmill {
namespace {

std::vector<std::string> parsed(std::string_view text, std::string_view tags) {
  Batch batch;
  const auto added = AddedTags::read(tags);
  EXPECT_TRUE(added) << tags;
  parse_canonical_lines(text, *added, batch);
  EXPECT_TRUE(account_holds(batch)) << text;
  std::vector<std::string> texts = refused_texts(batch);
  for (const Sample& sample : batch.samples) texts.push_back(to_text(sample));
  return texts;
}

// Each line is read alone by the general parser, and before others by the fast one.
void expect_all(const std::vector<LineCase>& cases, std::string_view tags = {}) {
  for (const LineCase& c : cases) {
    EXPECT_EQ(parsed(c.input, tags), c.want) << c.input << ": " << c.why;
    auto want = c.want;
    const std::string other = "gauge x" + (tags.empty() ? "" : ";" + std::string(tags)) + " 1";
    want.insert(want.end(), 9, other);
    std::string text = c.input + "\n";
    for (int i = 0; i < 9; ++i) text += "x 1\n";
    EXPECT_EQ(parsed(text, tags), want) << c.input << " before others: " << c.why;
  }
}

TEST(CanonicalLines, DoNotFoldNames) {
  expect_all({
      {"Disk/C:Used 1", {"gauge Disk/C:Used 1"}, "capitals, slash, colon"},
      {"*Web.Hits;host=Web1 2", {"event Web.Hits;host=Web1 2"}, "an event with a tag"},
      {"%lat;b=2;a=1 7 1.5", {"distribution lat;a=1;b=2@7 1.5"}, "tags in any order"},
      {"a\\b\"c'd 1", {"gauge a\\b\"c'd 1"}, "other bytes"},
      {"\xc3\xa4;k=\xe2\x82\xac 1", {"gauge \xc3\xa4;k=\xe2\x82\xac 1"}, "UTF-8"},
      {"a%2Fb%3B;k=%41;name=x 1", {"gauge a/b%3B;%6Eame=x;k=A 1"}, "the shortest escapes"},
      {"~a;k=~v 1", {"gauge %7Ea;k=%7Ev 1"}, "a leading ~"},
  });
}

TEST(CanonicalLines, FanOutOnlyThePath) {
  expect_all({
      {"a^B^;t=1;s=^2 1", {"gauge a.B;s=^2;t=1 1", "gauge a;s=^2;t=1 1"}, "tags belong to each name"},
      {"a;t=x^y 1", {"gauge a;t=x^y 1"}, "a caret in a value is a byte"},
      {"a%5Eb 1", {"gauge a^b 1"}, "an escaped caret is a byte"},
      {"^%62a 1", {"gauge ba 1"}, "a gauge whose first byte is an escape"},
  });
}

TEST(CanonicalLines, RefuseWrongNames) {
  const std::string longest(kNameBytesMax, 'n');
  expect_all({
      {"a; 1", {"refused bad_tag"}, "nothing after the ;"},
      {"a;k 1", {"refused bad_tag"}, "no ="},
      {"a;k= 1", {"refused bad_tag"}, "no value"},
      {"a;k=1;k=2 1", {"refused duplicate_tag"}, "two values"},
      {"a\x01 1", {"refused bad_name"}, "a control byte"},
      {"a\xff 1", {"refused bad_name"}, "not UTF-8"},
      {"a\xc2\x80 1", {"refused bad_name"}, "C1"},
      {"a%e2%80%ae 1", {"refused bad_name"}, "a hidden character as an escape"},
      {"% 1", {"refused empty_name"}, "no name"},
      {"*;k=v 1", {"refused empty_name"}, "tags without a path"},
      {longest + "n 1", {"refused name_too_long"}, "one more byte"},
  });
}

TEST(CanonicalLines, GetTheTagsOfTheirBlock) {
  expect_all(
      {
          {"host.block.bytes;device=vda;op=read 1",
           {"gauge host.block.bytes;dc=eu;device=vda;host=web1;op=read 1"},
           "merged"},
          {"*a 5 1", {"event a;dc=eu;host=web1@5 1"}, "a path alone"},
          {"a;host=own;zone=z 1", {"gauge a;dc=eu;host=own;zone=z 1"}, "its own tag wins"},
          {"a^b^;k=v 1", {"gauge a.b;dc=eu;host=web1;k=v 1", "gauge a;dc=eu;host=web1;k=v 1"}, "fan-out"},
          {"a;z=1;b=2 1", {"gauge a;b=2;dc=eu;host=web1;z=1 1"}, "in any order"},
          {"$g A^;k=v 7 1", {"gauge A^;dc=eu;host=web1;k=v@7 1"}, "exact lines"},
          {"a;k 1", {"refused bad_tag"}, "a wrong tag of its own"},
          {"* 1", {"refused empty_name"}, "no path"},
          {"%;k=v 1", {"refused empty_name"}, "only tags"},
          {"a; 1", {"refused bad_tag"}, "nothing after the ;"},
          {std::string(kNameBytesMax - 16, 'n') + " 1",
           {"gauge " + std::string(kNameBytesMax - 16, 'n') + ";dc=eu;host=web1 1"},
           "the longest name"},
          {std::string(kNameBytesMax - 15, 'n') + " 1", {"refused name_too_long"}, "one more byte"},
      },
      "dc=eu;host=web1");
}

RC_GTEST_PROP(CanonicalLines, AnyBytesParseToSaneSamplesOrRefusals, ()) {
  const std::string bytes = *texts_of(rc::gen::element<std::string>(
      "a", "B", ".", ";", "k=v", "k=w", "longkey.1=", "longkey.2=", "name=", "=", "%41", "%", "~", "^", " 1",
      " 7", " ", "\n", "*", "$g", "$d ", "#", "\xc3\xa4", "\xff", "\xe2\x80\x8b", "$", "!", "host=x"));
  const std::string tags = *rc::gen::element<std::string>("", "host=web1", "a=1;host=web1;longkey.15=x");
  const auto added = AddedTags::read(tags);
  Batch whole;
  parse_canonical_lines(bytes, *added, whole);
  RC_ASSERT(account_holds(whole));
  for (const Sample& sample : whole.samples) {
    RC_ASSERT(is_sane(sample));
    RC_ASSERT(is_canonical_name(sample.name));
  }
  const auto parse_line = [&](std::string_view line, Batch& batch) {
    parse_canonical_line(line, *added, batch);
  };
  RC_ASSERT(is_same_line_by_line(whole, bytes, parse_line));
}

TEST(CanonicalLines, FastLinesAreReadAsTheOthers) {
  for (const std::string_view tags : {"", "dc=eu;host=web1"}) {
    const auto added = AddedTags::read(tags);
    const auto parse_lines = [&](std::string_view text, Batch& batch) {
      parse_canonical_lines(text, *added, batch);
    };
    const auto parse_line = [&](std::string_view text, Batch& batch) {
      parse_canonical_line(text, *added, batch);
    };
    const std::vector<std::string> usual = {"host.block.bytes;device=vda;op=read 1700000000 12.5\n",
                                            "*web.Requests;code=200 1\n", "%lat 3.5\n"};
    EXPECT_EQ(unlike_line_by_line(usual, parse_lines, parse_line), "") << tags;
  }
}

}  // namespace
}  // namespace statmill
