// Where points end: at a LF outside of strings; one missing quote costs one line.
#include "proto/influx/point_end.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/sample.h"
#include "tests/proto/influx/influx_laws.h"

namespace statmill {
namespace {

struct PointsCase {
  std::string text;
  std::vector<std::string_view> want;
  std::string why;
};

TEST(InfluxPointEnd, IsALfOutsideOfStrings) {
  const std::vector<PointsCase> table = {
      {"a b=1\nc d=2\n", {"a b=1", "c d=2"}, "no strings"},
      {"a b=1\n\nc d=2", {"a b=1", "", "c d=2"}, "empty lines; no LF at the end"},
      {"a b=\"x\ny\"\nc d=2\n", {"a b=\"x\ny\"", "c d=2"}, "a LF in a string"},
      {"a b=\"x\ny\",c=\"z\n\" 5\nd e=1", {"a b=\"x\ny\",c=\"z\n\" 5", "d e=1"}, "in two, with a time"},
      {"a b=\"x\\\"\ny\"\nc d=2", {"a b=\"x\\\"\ny\"", "c d=2"}, "after an escaped quote"},
      {"a b=\"x\\\\\"\nc d=2", {"a b=\"x\\\\\"", "c d=2"}, "an escaped backslash before the end"},
      {"a,t=\"x b=1\nc d=2", {"a,t=\"x b=1", "c d=2"}, "a quote in a tag is a byte like others"},
      {"a,t=\\ \" b=\"x\ny\"\nc d=2", {"a,t=\\ \" b=\"x\ny\"", "c d=2"}, "an escaped blank before it"},
      {"a\" b=1\nc d=2", {"a\" b=1", "c d=2"}, "in a measurement"},
      {"a b\"=\"x\ny\"", {"a b\"=\"x", "y\""}, "in the key of a field it ends the search"},
      {"a b=\"x\nc d=2\n", {"a b=\"x", "c d=2"}, "a missing quote"},
      {"a b=\"x\nc d=\"y\"\n", {"a b=\"x\nc d=\"y\""}, "the next one closes it"},
      {"a b=\"x\"y=\"\nc d=2", {"a b=\"x\"y=\"", "c d=2"}, "nothing but a comma leads to another string"},
      {"a b=\"x\", c=\"\nd e=2", {"a b=\"x\", c=\"", "d e=2"}, "not a blank"},
      {"a b=\"x\\", {"a b=\"x\\"}, "a backslash at the end"},
      {"\"\n\"", {"\"", "\""}, "quotes alone"},
      {" \n", {" "}, "a blank"},
  };
  for (const PointsCase& c : table) EXPECT_EQ(points_of(c.text), c.want) << c.text << ": " << c.why;
}

TEST(InfluxPointEnd, IsTheFirstLfIfAPointIsTooLong) {
  const std::string longest = "a b=\"\n" + std::string(kLineBytesMax - 7, 'x') + "\"";
  ASSERT_EQ(longest.size(), kLineBytesMax);
  EXPECT_EQ(influx_point_size(longest), kLineBytesMax);
  EXPECT_EQ(influx_point_size(longest + "\nc d=1"), kLineBytesMax);
  EXPECT_EQ(influx_point_size("a" + longest + "\nc d=1"), 6u) << "a string that ends too late";
  EXPECT_EQ(influx_point_size(longest + ",b=\"\n\""), 5u);
  EXPECT_EQ(influx_point_size(std::string(2 * kLineBytesMax, 'x') + "\ny"), 2 * kLineBytesMax);
  EXPECT_EQ(influx_point_size(std::string(2 * kLineBytesMax, 'x')), 2 * kLineBytesMax);
}

}  // namespace
}  // namespace statmill
