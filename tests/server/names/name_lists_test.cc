// The lists of labels and values of NameIndex.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/names/name_index.h"

namespace statmill {
namespace {

using Op = LabelMatcher::Op;
using Matchers = std::vector<LabelMatcher>;
using Texts = std::vector<std::string>;

class NameListsTest : public testing::Test {
 protected:
  void add(const Texts& names) {
    for (const std::string& name : names) rows_.push_back(index_.add(name));
  }
  Texts values(std::string_view label, const Matchers& matchers = {}) const {
    return *index_.label_values(label, matchers, {});
  }

  NameIndex index_;
  std::vector<NameRow> rows_;
};

TEST_F(NameListsTest, ListsLabelsAndValues) {
  add({"cpu.idle;host=z", "up;host=x;job=a", "up;host=y", "m;%6Eame=eth%200", "plain"});
  EXPECT_EQ(*index_.label_names({}, {}), (Texts{"__name__", "host", "job", "name"}));
  EXPECT_EQ(*index_.label_names(Matchers{{Op::kEqual, "host", "y"}}, {}), (Texts{"__name__", "host"}));
  EXPECT_EQ(values("host"), (Texts{"x", "y", "z"}));
  EXPECT_EQ(values("host", {{Op::kEqual, "__name__", "up"}}), (Texts{"x", "y"}));
  EXPECT_EQ(values("__name__"), (Texts{"cpu.idle", "m", "plain", "up"}));
  EXPECT_EQ(values("name"), (Texts{"eth 0"}));
  EXPECT_EQ(values("__n001__"), (Texts{"idle"}));
  EXPECT_TRUE(values("none").empty());
  for (const char* const label : {"host", "__name__"}) {
    EXPECT_EQ(index_.label_values(label, {}, {.limit = 2})->size(), 3U) << "more than the limit";
    EXPECT_EQ(index_.label_values(label, {}, {.limit = 0})->size(), 1U);
  }
  index_.remove(rows_[0]);
  EXPECT_EQ(values("host"), (Texts{"x", "y"}));
}

TEST_F(NameListsTest, CountsTheSeriesOfEachValue) {
  add({"cpu.idle;host=z", "up;host=x;job=a", "up;host=x", "m;%6Eame=eth%200", "plain", "a,b;host=x"});
  using Counts = std::map<std::string, uint64_t>;
  EXPECT_EQ(*index_.series_by_value("host"), (Counts{{"x", 3}, {"z", 1}}));
  EXPECT_EQ(*index_.series_by_value("name"), (Counts{{"eth 0", 1}}));
  EXPECT_EQ(*index_.series_by_value("none"), Counts{});
  index_.remove(rows_[1]);
  index_.remove(rows_[0]);
  EXPECT_EQ(*index_.series_by_value("host"), (Counts{{"x", 2}}));
  EXPECT_FALSE(index_.series_by_value("host", [] { return true; })) << "cancelled";
}

TEST_F(NameListsTest, ListsOnlyWhatIsListedAndLooksAtNoSeriesTwice) {
  add({"cpu.idle;host=x", "cpu.idle;host=y;old=a", "up;host=x;old=a", "up;host=z", "a,b", "flat", "old"});
  Texts asked;
  NameIndex::ListOptions options;
  options.is_listed = [&asked](std::string_view name) {
    asked.emplace_back(name);
    return name.find("old") == std::string_view::npos;
  };
  EXPECT_EQ(*index_.label_names({}, options), (Texts{"__name__", "host"}));
  EXPECT_EQ(*index_.label_values("host", {}, options), (Texts{"x", "z"}));
  EXPECT_EQ(*index_.label_values("old", {}, options), Texts{});
  EXPECT_EQ(*index_.label_values("__n001__", {}, options), Texts{"idle"});
  asked.clear();
  EXPECT_EQ(*index_.label_values("__name__", {}, options), (Texts{"a,b", "cpu.idle", "flat", "up"}));
  for (int i = 0; i < 100; ++i) add({"cpu.idle;host=x" + std::to_string(i)});
  const size_t before = asked.size();
  asked.clear();
  EXPECT_EQ(index_.label_values("__name__", {}, options)->size(), 4U);
  EXPECT_EQ(asked.size(), before) << "the path is known from another series";
}

}  // namespace
}  // namespace statmill
