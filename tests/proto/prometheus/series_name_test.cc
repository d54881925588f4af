#include "proto/prometheus/series_name.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

namespace statmill {
namespace {

// A text of up to 80 bytes: mostly letters, sometimes bytes that are escaped, blanks or separators.
std::string any_text() {
  constexpr std::string_view kOdd = "%;!^=~ \x7f\n/_A0";
  std::string out;
  const bool is_plain = *rc::gen::inRange(0, 4) > 0;
  for (int size = *rc::gen::inRange(0, 81); size > 0; --size) {
    const bool is_odd = !is_plain && *rc::gen::inRange(0, 8) == 0;
    out += is_odd ? kOdd[*rc::gen::inRange<size_t>(0, kOdd.size())] : *rc::gen::inRange('a', 'e');
  }
  return out;
}

// What canonical_name() makes of the labels, whatever order they come in.
RC_GTEST_PROP(SeriesName, IsTheCanonicalNameOfTheLabels, ()) {
  LabelPairs labels = {{"__name__", any_text()}};
  for (int i = *rc::gen::inRange(0, 10); i > 0; --i) labels.emplace_back(any_text(), any_text());
  if (*rc::gen::inRange(0, 4) == 0) labels.emplace_back("name", any_text());
  if (*rc::gen::inRange(0, 4) == 0) labels.emplace_back("POD", any_text());
  if (*rc::gen::inRange(0, 4) > 0) std::sort(labels.begin(), labels.end());
  std::vector<LabelView> views;
  for (const auto& [name, value] : labels) views.push_back({name, value});
  Batch batch;
  const std::string_view before = batch.keep("before");
  std::string_view name;
  const auto verdict = read_series_name(views, batch, name);
  const std::string_view after = batch.keep("after");
  const Result<std::string> wanted = canonical_name(labels);
  RC_ASSERT(verdict.is_accepted() == wanted.has_value());
  if (wanted) RC_ASSERT(std::string(name) == *wanted);
  RC_ASSERT(before == "before");
  RC_ASSERT(after == "after");
}

TEST(SeriesName, CountsSeparatorsInNamesOfAnyLength) {
  // So many `=` in one column of the blocks of 16 bytes that a counter of 8 bits would begin again.
  for (const size_t blocks : {size_t{1}, size_t{64}, size_t{126}}) {
    std::string value;
    for (size_t i = 0; i < blocks; ++i) value += "=bcdefgh;bcdefgh";
    Batch batch;
    std::string_view name;
    const std::vector<LabelView> labels = {{"__name__", "m"}, {"a", value}};
    const auto wanted = canonical_name(LabelPairs{{"__name__", "m"}, {"a", value}});
    const auto verdict = read_series_name(labels, batch, name);
    ASSERT_EQ(verdict.is_accepted(), wanted.has_value()) << blocks;
    EXPECT_EQ(name, wanted ? *wanted : "") << blocks;
  }
}

}  // namespace
}  // namespace statmill
