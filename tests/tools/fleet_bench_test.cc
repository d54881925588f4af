// Suite `fleet` of statmill-bench: its command line, and the lines of its hosts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/statmill-bench/options.h"

namespace statmill {
namespace {

Result<FleetBenchOptions> parse(const std::vector<std::string>& arguments) {
  const auto values = parse_suite_arguments(arguments, describe_fleet());
  return values ? fleet_options(*values) : values.error();
}

TEST(FleetBench, ReadsOptionsWithinBounds) {
  const auto options = parse({"fleet", "--hosts", "5", "--warmup", "6", "--seconds", "7", "--threads", "2"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->hosts, 5U);
  EXPECT_EQ(options->warm_up, 6U);
  EXPECT_EQ(options->seconds, 7U);
  EXPECT_EQ(options->threads, 2U);
  EXPECT_FALSE(parse({"fleet", "--hosts", "0"}).has_value());
  EXPECT_FALSE(parse({"fleet", "--hosts", "50001"}).has_value());
  EXPECT_FALSE(parse({"fleet", "--hosts", "1", "--threads", "2"}).has_value());
}

TEST(FleetBench, AmountsVaryAndAllElseStays) {
  const std::string lines = "*host.a;x=y 100\n*host.zero 0\n%host.d h3 5 1:2\nhost.g nan\n";
  const std::string first = vary_lines(lines, 1);
  EXPECT_EQ(first, vary_lines(lines, 1));
  EXPECT_NE(first, vary_lines(lines, 2));
  for (uint64_t variant = 0; variant < 100; ++variant)
    EXPECT_THAT(
        vary_lines(lines, variant),
        testing::MatchesRegex("\\*host.a;x=y [0-9]+\n\\*host.zero 0\n%host.d h3 5 1:2\nhost.g nan\n"));
}

TEST(FleetBench, OfEightGaugesAboutOneVaries) {
  std::string lines;
  for (int i = 0; i < 800; ++i) lines += "host.g" + std::to_string(i) + " 1000\n";
  const std::string varied = vary_lines(lines, 7);
  size_t same = 0;
  for (size_t at = 0; (at = varied.find(" 1000\n", at)) != std::string::npos; ++at) ++same;
  EXPECT_GT(same, 650U);
  EXPECT_LT(same, 750U);
}

}  // namespace
}  // namespace statmill
