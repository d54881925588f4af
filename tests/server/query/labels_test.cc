#include "server/query/labels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace statmill {
namespace {

TEST(Labels, AreSortedAndHaveNoEmptyValue) {
  const Labels labels = Labels::of({{"b", "2"}, {"c", ""}, {"a", "1"}});
  EXPECT_EQ(labels.all(), (std::vector<Labels::Label>{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(labels.get("b"), "2");
  EXPECT_EQ(labels.get("c"), "");
  EXPECT_EQ(labels.get("zz"), "");
}

TEST(Labels, OfANameHaveItsPathAndTags) {
  const Labels labels = Labels::of_name("cpu.idle;host=a;zone=b=c");
  EXPECT_EQ(labels, Labels::of({{"__name__", "cpu.idle"}, {"host", "a"}, {"zone", "b=c"}}));
  EXPECT_EQ(labels.name(), "cpu.idle;host=a;zone=b=c");
  EXPECT_EQ(Labels::of_name("x").name(), "x");
}

TEST(Labels, SetInsertsReplacesAndRemoves) {
  Labels labels = Labels::of({{"a", "1"}, {"c", "3"}});
  labels.set("b", "2");
  labels.set("c", "4");
  labels.set("a", "");
  labels.remove("none");
  EXPECT_EQ(labels, Labels::of({{"b", "2"}, {"c", "4"}}));
  labels.keep_only({"c", "d"});
  EXPECT_EQ(labels, Labels::of({{"c", "4"}}));
}

TEST(Labels, KeysAreEqualOnlyIfTheLabelsAre) {
  EXPECT_EQ(Labels::of({{"a", "b"}}).key(), Labels::of({{"a", "b"}}).key());
  EXPECT_NE(Labels::of({{"a", "bc"}}).key(), Labels::of({{"ab", "c"}}).key());
  EXPECT_NE(Labels::of({{"a", "b"}, {"c", "d"}}).key(),
            Labels::of({{"a", std::string("b\1\0\0\0c\1\0\0\0d", 11)}}).key());
}

}  // namespace
}  // namespace statmill
