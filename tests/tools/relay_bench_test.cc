// Suite `relay` of statmill-bench: its command line.
#include <gtest/gtest.h>

#include "tools/statmill-bench/options.h"

namespace statmill {
namespace {

TEST(RelayBench, ReadsOptionsWithinBounds) {
  const auto options = parse_bench_options(std::vector<std::string>{
      "relay", "--only", "udp,passed_on.tcp", "--series", "7", "--samples", "70", "--rate", "1000"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->suite, Suite::kRelay);
  EXPECT_EQ(options->relay.only, (std::vector<std::string>{"udp", "passed_on.tcp"}));
  EXPECT_EQ(options->relay.series, 7U);
  EXPECT_EQ(options->relay.samples, 70U);
  EXPECT_EQ(options->relay.rate, 1000U);
  EXPECT_FALSE(parse_bench_options(std::vector<std::string>{"relay", "--rate", "0"}).has_value());
  EXPECT_FALSE(parse_bench_options(std::vector<std::string>{"relay", "--only", "nothing"}).has_value());
}

}  // namespace
}  // namespace statmill
