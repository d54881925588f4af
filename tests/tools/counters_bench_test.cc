// Suites `counters` and `bpf` of statmill-bench: the names of their figures and their command lines.
#include <gtest/gtest.h>

#include <algorithm>

#include "tools/statmill-bench/options.h"

namespace statmill {
namespace {

Result<CountersOptions> parse_counters(const std::vector<std::string>& arguments) {
  const auto values = parse_suite_arguments(arguments, describe_counters());
  return values ? counters_options(*values) : values.error();
}
Result<BpfOptions> parse_bpf(const std::vector<std::string>& arguments) {
  const auto values = parse_suite_arguments(arguments, describe_bpf());
  return values ? bpf_options(*values) : values.error();
}

TEST(CountersBench, ReportsEachSelectedMeasurePerNumberOfThreads) {
  const auto measured = run_counters({.only = {"add", "mutex_64"}, .operations = 1000, .runs = 1}, {});
  ASSERT_TRUE(measured.has_value());
  std::vector<std::string> names;
  for (const Measurement& m : *measured) {
    names.push_back(m.name);
    EXPECT_GT(m.value, 0) << m.name;
    EXPECT_EQ(m.unit, "ns");
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"counters.add.t1", "counters.add.t2", "counters.add.t8",
                                      "counters.add.t32", "counters.mutex_64.t1", "counters.mutex_64.t2",
                                      "counters.mutex_64.t8", "counters.mutex_64.t32"}));
}

TEST(CountersBench, ReportsTheFiguresOfReading) {
  const auto measured = run_counters({.only = {"reading"}, .operations = 1000, .runs = 1}, {});
  ASSERT_TRUE(measured.has_value());
  ASSERT_FALSE(measured->empty());
  EXPECT_EQ(measured->front().name, "counters.snapshot_10k_us");
}

TEST(CountersBench, ReadsOptionsWithinBounds) {
  const auto options =
      parse_counters({"counters", "--only", "add,histogram", "--operations", "5000", "--runs", "3"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->operations, 5000u);
  EXPECT_EQ(options->runs, 3u);
  EXPECT_EQ(options->only, (std::vector<std::string>{"add", "histogram"}));
  EXPECT_FALSE(parse_counters({"counters", "--operations", "10"}).has_value());
  EXPECT_FALSE(parse_counters({"counters", "--only", "nothing"}).has_value());
  EXPECT_FALSE(parse_counters({"counters", "--series", "3"}).has_value());
}

TEST(BpfBench, ReadsOptionsWithinBounds) {
  const auto options = parse_bpf({"bpf", "--operations", "500", "--runs", "2", "--idle", "3"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->operations, 500u);
  EXPECT_EQ(options->runs, 2u);
  EXPECT_EQ(options->idle_s, 3u);
  EXPECT_FALSE(parse_bpf({"bpf", "--operations", "5"}).has_value());
  EXPECT_FALSE(parse_bpf({"bpf", "--idle", "0"}).has_value());
}

}  // namespace
}  // namespace statmill
