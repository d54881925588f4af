// Histograms in lines: a table of their grammar, and the law that the cells count every recorded integer.
#include "proto/istatd/histogram_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/proto/batch_text.h"
#include "tests/proto/line_laws.h"

namespace statmill {
namespace {

// Returns the index of the value's bucket, computed from the definition one power of two after the other.
uint64_t slow_index(unsigned g, uint64_t value) {
  if (value >> g == 0) return value;
  uint64_t below = uint64_t{1} << g;
  unsigned power = g;
  for (; power < 63 && value >> (power + 1) != 0; ++power) below += uint64_t{1} << g;
  const uint64_t width = uint64_t{1} << (power - g);
  return below + (value - (uint64_t{1} << power)) / width;
}

// Generates integers of all sizes.
rc::Gen<uint64_t> integers() {
  return rc::gen::mapcat(rc::gen::inRange(0, 64), [](int shift) {
    return rc::gen::map(rc::gen::arbitrary<uint64_t>(), [=](uint64_t any) { return any >> shift; });
  });
}

// Returns the count of all samples, then the lower edge and count of each cell; or the reason of a refusal.
std::string read(std::string_view text, unsigned g) {
  Batch batch;
  ReadyBucket ready;
  if (const auto verdict = read_histogram_cells(text, g, batch, ready); verdict.is_refused())
    return std::string(refusal_label(verdict.reason()));
  std::string out = std::to_string(ready.count);
  for (const HistogramCell& cell : ready.cells) {
    out.push_back(' ');
    append_number(out, histogram_lower_edge(cell.index));
    out.append(":" + std::to_string(cell.count));
  }
  return out;
}

TEST(HistogramForm, GroupingPowersAreZeroToSixteen) {
  EXPECT_EQ(read_grouping_power("h0"), 0u);
  EXPECT_EQ(read_grouping_power("h05"), 5u);
  EXPECT_EQ(read_grouping_power("h16"), 16u);
  for (const std::string_view text :
       {"", "h", "5", "h17", "h99", "h-1", "h+1", "h1.", "h5x", "h005", "H5", "hh", "h 5"}) {
    EXPECT_EQ(read_grouping_power(text), std::nullopt) << text;
  }
}

TEST(HistogramForm, ReadsCellsOrRefusesThemWithTheReason) {
  struct Case {
    std::string_view text;
    unsigned g;
    std::string_view want;
    std::string_view why;
  };
  for (const Case& c : std::vector<Case>{
           {"0:1", 5, "1 0:1", "zero"},
           {"1:2 63:3", 5, "5 1:2 63:3", "each integer below 64 has a bucket"},
           {"64:1 65:1", 5, "2 64:1 66:1", "two integers share one from there on"},
           {"128:1 129:2 130:4 131:8", 6, "15 128:3 132:12", "two of 6 are one of 5"},
           {"3:1", 0, "1 5.5:1", "from 4 to 7"},
           {"2:1", 0, "1 2.5:1", "from 2 to 3"},
           {" 1:1\t2:1 ", 5, "2 1:1 2:1", "white space around"},
           {"01:001", 5, "1 1:1", "zeros in front"},
           {"1919:1", 5, "1 18158513697557839872:1", "the last bucket"},
           {"1920:1", 5, "out_of_range", "behind it"},
           {"64:1", 0, "1 13835058055282163712:1", "the last one of grouping power 0"},
           {"65:1", 0, "out_of_range", "behind it"},
           {"3211263:1", 16, "1 18158513697557839872:1", "the last one of grouping power 16"},
           {"3211264:1", 16, "out_of_range", "behind it"},
           {"18446744073709551616:1", 5, "out_of_range", "over 64 bits"},
           {"99999999999999999999999999:1", 5, "out_of_range", "far over"},
           {"1:281474976710655", 5, "281474976710655 1:281474976710655", "2^48 - 1 of one"},
           {"1:281474976710654 2:1", 5, "281474976710655 1:281474976710654 2:1", "2^48 - 1 of all"},
           {"1:281474976710656", 5, "bad_bucket", "one more"},
           {"1:281474976710655 2:1", 5, "bad_bucket", "one more of all"},
           {"1:18446744073709551616", 5, "bad_bucket", "over 64 bits"},
           {"1:18446744073709551615 2:1 3:1", 5, "bad_bucket", "nothing wraps around"},
           {"1:0", 5, "bad_bucket", "a count of 0"},
           {"2:1 1:1", 5, "bad_bucket", "descending"},
           {"1:1 1:1", 5, "bad_bucket", "twice"},
           {"0:1 0:1", 5, "bad_bucket", "twice, the first"},
           {"1", 5, "bad_value", "no count"},
           {"1:", 5, "bad_value", "no count"},
           {":1", 5, "bad_value", "no index"},
           {"1 :1", 5, "bad_value", "white space between"},
           {"1:1:1", 5, "bad_value", "two counts"},
           {"1:1,2:1", 5, "bad_value", "a comma"},
           {"+1:1", 5, "bad_value", "a sign"},
           {"1:-1", 5, "bad_value", "a sign"},
           {"1:1.0", 5, "bad_value", "a point"},
           {"1:1 x 5000:1", 5, "bad_value", "the first fault from the left counts"},
       }) {
    EXPECT_EQ(read(c.text, c.g), c.want) << c.text << ": " << c.why;
  }
}

TEST(HistogramForm, ExtremesAreTheEdgesOfTheOuterCells) {
  const auto extremes = [](std::string_view text, unsigned g) {
    Batch batch;
    ReadyBucket ready;
    EXPECT_TRUE(read_histogram_cells(text, g, batch, ready).is_accepted());
    return std::pair(ready.min, ready.max);
  };
  const auto [min, max] = extremes("64:1 96:2", 5);
  EXPECT_TRUE(same_number(min, Number::decimal(64, 0)));
  EXPECT_TRUE(same_number(max, Number::decimal(131, 0))) << "four integers from 128 on";
  EXPECT_TRUE(same_number(extremes("0:1", 5).second, Number{}));
  EXPECT_EQ(extremes("1919:1", 5).second.value(), 0x1p64) << "the nearest double";
}

TEST(HistogramForm, SumsTheSquaresOfTheMiddles) {
  const auto squares = [](std::string_view text, unsigned g) {
    Batch batch;
    ReadyBucket ready;
    EXPECT_TRUE(read_histogram_cells(text, g, batch, ready).is_accepted());
    return ready.sum_of_squares;
  };
  EXPECT_TRUE(same_number(squares("3:2 10:1", 5), Number::decimal(118, 0)))
      << "exact for cells of single integers";
  EXPECT_TRUE(same_number(squares("64:3", 5), Number::decimal(12481, 0))) << "12480.75, a whole number";
  EXPECT_FALSE(squares("1919:1", 5).is_decimal());
}

// Compares a histogram that a client would send with the cells of the integers themselves.
RC_GTEST_PROP(HistogramForm, CountsEveryRecordedInteger, ()) {
  const auto g = *rc::gen::inRange(0u, kGroupingPowerMax + 1);
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<uint64_t>>(integers()));
  std::map<uint64_t, uint64_t> recorded;
  std::map<HistogramIndex, uint64_t> want;
  for (const uint64_t value : values) {
    ++recorded[slow_index(g, value)];
    // Doubles cannot distinguish all integers of 2^53 and more, so the lowest bits are cleared first.
    const unsigned lost = value >> 53 == 0 ? 0 : 11;
    ++want[histogram_index(static_cast<double>(value >> lost << lost))];
  }
  std::string text;
  for (const auto& [index, count] : recorded)
    text += " " + std::to_string(index) + ":" + std::to_string(count);
  Batch batch;
  ReadyBucket ready;
  RC_ASSERT(read_histogram_cells(text, g, batch, ready).is_accepted());
  RC_ASSERT(is_sane_histogram(ready));
  RC_ASSERT(ready.count == values.size());
  const auto [least, greatest] = std::ranges::minmax(values);
  RC_ASSERT(ready.min.value() <= static_cast<double>(least));
  RC_ASSERT(static_cast<double>(greatest) <= ready.max.value());
  if (g < 5) {
    RC_ASSERT(ready.cells.size() == recorded.size());
    return;
  }
  RC_ASSERT(ready.cells.size() == want.size());
  for (const HistogramCell& cell : ready.cells) RC_ASSERT(want[cell.index] == cell.count);
}

}  // namespace
}  // namespace statmill
