// Suite `relay` of statmill-bench: its command line.
#include <gtest/gtest.h>

#include "tools/statmill-bench/options.h"

namespace statmill {
namespace {

Result<RelayBenchOptions> parse(const std::vector<std::string>& arguments) {
  const auto values = parse_suite_arguments(arguments, describe_relay());
  return values ? relay_options(*values) : values.error();
}

TEST(RelayBench, ReadsOptionsWithinBounds) {
  const auto options =
      parse({"relay", "--only", "udp,passed_on.tcp", "--series", "7", "--samples", "70", "--rate", "1000"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->only, (std::vector<std::string>{"udp", "passed_on.tcp"}));
  EXPECT_EQ(options->series, 7U);
  EXPECT_EQ(options->samples, 70U);
  EXPECT_EQ(options->rate, 1000U);
  EXPECT_FALSE(parse({"relay", "--rate", "0"}).has_value());
  EXPECT_FALSE(parse({"relay", "--only", "nothing"}).has_value());
}

}  // namespace
}  // namespace statmill
