#include "server/names/search_meter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/names/name_index.h"

namespace statmill {
namespace {

using Op = LabelMatcher::Op;

// A test of one long text with this expression takes a millisecond, in a dictionary, a path and a name that
// is kept as text.
TEST(SearchMeter, ASearchAsksWhetherItIsCancelledByTheWorkOfItsExpression) {
  constexpr int kTexts = 100;
  NameIndex index;
  for (int i = 0; i < kTexts; ++i) {
    std::string text = std::to_string(i);
    while (text.size() < 1900) text += text.size() % 7 < 3 ? 'a' : 'b';
    index.add("tagged;k=" + text);
    index.add(text + ".path");
    index.add(text);
  }
  const auto visit = [](std::string_view) { return true; };
  for (const char* const label : {"k", "__n000__", "__name__"}) {
    const std::vector<LabelMatcher> matchers = {{Op::kMatches, label, ".*a.{80}c.*b.{90}"}};
    int looks = 0;
    EXPECT_TRUE(index.select(matchers, visit, [&] { return ++looks < 0; }));
    EXPECT_GT(looks, kTexts / 10) << label;
    looks = 0;
    const Status ended = index.select(matchers, visit, [&] { return ++looks == 9; });
    EXPECT_EQ(ended.error().code, ErrorCode::kBusy) << label;
    EXPECT_EQ(looks, 9) << label;
  }
}

}  // namespace
}  // namespace statmill
