#include "server/query/labels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace statmill {
namespace {

TEST(SeriesLabels, AreSortedAndHaveNoEmptyValue) {
  const SeriesLabels labels = SeriesLabels::of({{"b", "2"}, {"c", ""}, {"a", "1"}});
  EXPECT_EQ(labels.all(), (std::vector<SeriesLabels::Label>{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(labels.get("b"), "2");
  EXPECT_EQ(labels.get("c"), "");
  EXPECT_EQ(labels.get("zz"), "");
}

TEST(SeriesLabels, OfANameHaveItsPathAndTags) {
  const SeriesLabels labels = SeriesLabels::of_name("cpu.idle;host=a;zone=b=c");
  EXPECT_EQ(labels, SeriesLabels::of({{"__name__", "cpu.idle"}, {"host", "a"}, {"zone", "b=c"}}));
  EXPECT_EQ(labels.name(), "cpu.idle;host=a;zone=b=c");
  EXPECT_EQ(SeriesLabels::of_name("x").name(), "x");
}

TEST(SeriesLabels, SetInsertsReplacesAndRemoves) {
  SeriesLabels labels = SeriesLabels::of({{"a", "1"}, {"c", "3"}});
  labels.set("b", "2");
  labels.set("c", "4");
  labels.set("a", "");
  labels.remove("none");
  EXPECT_EQ(labels, SeriesLabels::of({{"b", "2"}, {"c", "4"}}));
  labels.keep_only({"c", "d"});
  EXPECT_EQ(labels, SeriesLabels::of({{"c", "4"}}));
}

TEST(SeriesLabels, KeysAreEqualOnlyIfTheLabelsAre) {
  EXPECT_EQ(SeriesLabels::of({{"a", "b"}}).key(), SeriesLabels::of({{"a", "b"}}).key());
  EXPECT_NE(SeriesLabels::of({{"a", "bc"}}).key(), SeriesLabels::of({{"ab", "c"}}).key());
  EXPECT_NE(SeriesLabels::of({{"a", "b"}, {"c", "d"}}).key(),
            SeriesLabels::of({{"a", std::string("b\1\0\0\0c\1\0\0\0d", 11)}}).key());
}

TEST(SeriesLabels, HaveTheTextOfASelector) {
  EXPECT_EQ(SeriesLabels().text(), "{}");
  EXPECT_EQ(SeriesLabels::of_name("up").text(), "up");
  EXPECT_EQ(SeriesLabels::of_name("job:up:sum;dc=x;job=a\"b").text(), R"(job:up:sum{dc="x", job="a\"b"})");
  EXPECT_EQ(SeriesLabels::of_name("cpu.idle").text(), R"({"cpu.idle"})");
  EXPECT_EQ(SeriesLabels::of_name("9up;a=b").text(), R"({"9up", a="b"})");
  EXPECT_EQ(SeriesLabels::of({{"a.b", "1"}, {"c", "2"}}).text(), R"({"a.b"="1", c="2"})");
}

}  // namespace
}  // namespace statmill
