// Exact lines: a table of accepted lines, and a table of refused lines with the reasons.
#include "proto/istatd/exact_line.h"

#include <gtest/gtest.h>

#include "proto/istatd/parser.h"
#include "proto/istatd/writer.h"
#include "tests/proto/batch_text.h"
#include "tests/proto/line_laws.h"

namespace statmill {
namespace {

std::vector<std::string> parsed(std::string_view line) {
  Batch batch;
  parse_istatd_lines(line, batch);
  EXPECT_TRUE(account_holds(batch)) << line;
  std::vector<std::string> texts = refused_texts(batch);
  for (const Sample& sample : batch.samples) texts.push_back(to_text(sample));
  return texts;
}

void expect_all(const std::vector<LineCase>& cases) {
  for (const LineCase& c : cases) EXPECT_EQ(parsed(c.input), c.want) << c.input << ": " << c.why;
}

TEST(ExactLine, ReadsSamplesWithoutLoss) {
  expect_all({
      {"$g Disk/Used;dc=eu 7 1.5", {"gauge Disk/Used;dc=eu@7 1.5"}, "capitals and slashes stay"},
      {"$g a^b 7 1", {"gauge a^b@7 1"}, "a caret is a byte"},
      {"$e *a 7 -2", {"event *a@7 -2"}, "so is a star"},
      {"$c Requests_total;job=a 7 2.5", {"counter Requests_total;job=a@7 2.5"}, "what a counter went up by"},
      {"$c up 1", {"counter up 1"}, "the time is that of receipt"},
      {"$d d 3", {"distribution d 3"}, "of a distribution, too"},
      {"$d \xc3\xa4 7 3", {"distribution \xc3\xa4@7 3"}, "UTF-8"},
      {"$g A;t=1;s=~2 7 1", {"gauge A;s=%7E2;t=1@7 1"}, "other spellings of a name"},
      {"$g ~a%2fb 7 1", {"gauge %7Ea/b@7 1"}, "of a path, too"},
      {"$g a 7 6 14 1 3 3\r", {"gauge a@7 6 {3 14 1 3}"}, "a bucket"},
      {"$d a 7 6 18 3 3 2", {"distribution a@7 6 {2 18 3 3}"}, "of equal samples: no cells are needed"},
      {"$d a 7 0.5 4.25 -1.5 2 2 -32753:1 32769:1",
       {"distribution a@7 0.5 {2 4.25 -1.5 2 -1.5:1 2:1}"},
       "cells"},
  });
}

// Returns the line of the sample that a line has.
std::string rewritten(std::string_view line) {
  Batch batch;
  parse_istatd_lines(line, batch);
  std::string out;
  for (const Sample& sample : batch.samples) append_line(out, sample);
  return out;
}

TEST(ExactLine, CarriesWhatAStoreHas) {
  for (const char* line : {
           "$g a 7 9223372036854775807 28356863910078205288614550619314017621 3 999999999999999999 3\n",
           "$g a 7 -9.223372036854775807 28.356863910078205288614550619314017621 -4.5 3 3\n",
           "$g a 7 0.30000000000000004 ~1e-40 0.1 0.1 3\n",
           "$d a 7 41 ~0.5 20 21 2 32873:1 32875:1\n",
       })
    EXPECT_EQ(rewritten(line), line);
  Batch batch;
  parse_istatd_lines("$g a 7 9223372036854775807 12 3 4 3\n$g a 7 9223372036854775808 12 3 4 3\n", batch);
  EXPECT_EQ(batch.samples[0].value, (Number{INT64_MAX, 0}));
  EXPECT_FALSE(batch.samples[1].value.is_decimal()) << "more than an integer of a bucket holds";
  Batch least;
  parse_exact_line("$g a 7 -9223372036854775808 1e37 -9e18 -1 3", AddedTags(), least);
  ASSERT_EQ(least.samples.size(), 1U);
  EXPECT_NE(least.samples[0].value.mantissa, INT64_MIN) << "its negative is no int64_t";
  EXPECT_EQ(parsed("$g a 7 1 ~ 1 1 3"), std::vector<std::string>{"refused bad_value"});
  EXPECT_EQ(parsed("$g a 7 1 ~x 1 1 3"), std::vector<std::string>{"refused bad_value"});
  EXPECT_EQ(parsed("a 7 1 ~2 1 1 3"), std::vector<std::string>{"refused bad_value"}) << "not an exact line";
}

TEST(ExactLine, RefusesBadLinesWithTheReason) {
  expect_all({
      {"$", {"refused reserved"}, "no kind"},
      {"$y a 7 1", {"refused reserved"}, "reserved for later use"},
      {"$ga 7 1", {"refused reserved"}, "the mark is a field"},
      {"$g a", {"refused field_count"}, "no value"},
      {"$g a 7 6 14 1 3", {"refused field_count"}, "no count"},
      {"$g a 7 6 14 1 3 3 1:3", {"refused field_count"}, "a gauge has no cells"},
      {"$e a 7 6 14 1 3 3", {"refused field_count"}, "an event is one number"},
      {"$c a 7 6 14 1 3 3", {"refused field_count"}, "so is an increment"},
      {"$g a\x7f 7 1", {"refused bad_name"}, "DEL"},
      {"$g \xc3 7 1", {"refused bad_name"}, "half of UTF-8"},
      {"$g a\xe2\x81\xa6 7 1", {"refused bad_name"}, "a hidden character"},
      {"$g ;a=b 7 1", {"refused empty_name"}, "no path"},
      {"$g a;b 7 1", {"refused bad_tag"}, ""},
      {"$g " + std::string(2049, 'a') + " 7 1", {"refused name_too_long"}, ""},
      {"$g a x 1", {"refused bad_time"}, ""},
      {"$g a 7 nan", {"refused not_finite"}, ""},
      {"$g a 7 6 14 1 3 3.0", {"refused bad_value"}, "a count is an integer"},
      {"$g a 7 6 14 1 3 0", {"refused bad_bucket"}, "an empty bucket"},
      {"$g a 7 6 14 1 3 281474976710656", {"refused bad_bucket"}, "2^48"},
      {"$d a 7 6 14 1 3 3 x", {"refused bad_value"}, "not a cell"},
      {"$d a 7 6 14 1 3 3 1:x", {"refused bad_value"}, "a cell without count"},
      {"$d a 7 6 14 1 3 3 65505:3", {"refused out_of_range"}, "no such cell"},
      {"$d a 7 2 2 1 1 2 32737:1 32737:1", {"refused bad_bucket"}, "each cell once"},
      {"$d a 7 3 5 1 2 2 32769:1 32737:1", {"refused bad_bucket"}, "cells ascend"},
      {"$d a 7 3 5 1 2 2 32736:1 32769:1", {"refused bad_bucket"}, "a cell below min"},
      {"$d a 7 3 5 1 2 2 32737:1 32770:1", {"refused bad_bucket"}, "a cell above max"},
      {"$d a 7 3 5 1 2 2 32737:1", {"refused bad_bucket"}, "fewer samples in cells than in the bucket"},
      {"$d a 7 3 5 1 2 2 32737:1 32769:2",
       {"refused bad_bucket"},
       "more samples in cells than in the bucket"},
      {"$d a 7 3 5 1 2 2 32737:0 32769:2", {"refused bad_bucket"}, "an empty cell"},
  });
}

}  // namespace
}  // namespace statmill
