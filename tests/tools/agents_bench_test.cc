// Suite `agents` of statmill-bench: its command line.
#include <gtest/gtest.h>

#include "tools/statmill-bench/options.h"

namespace statmill {
namespace {

TEST(AgentsBench, ReadsOptionsWithinBounds) {
  const auto options = parse_bench_options(
      std::vector<std::string>{"agents", "--only", "latency,recovery", "--agents", "3", "--series", "7",
                               "--samples", "70", "--rate", "1000", "--spool", "5"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->suite, Suite::kAgents);
  EXPECT_EQ(options->agents.only, (std::vector<std::string>{"latency", "recovery"}));
  EXPECT_EQ(options->agents.agents, 3U);
  EXPECT_EQ(options->agents.series, 7U);
  EXPECT_EQ(options->agents.samples, 70U);
  EXPECT_EQ(options->agents.rate, 1000U);
  EXPECT_EQ(options->agents.spool_bytes, 5U);
  EXPECT_FALSE(parse_bench_options(std::vector<std::string>{"agents", "--agents", "0"}).has_value());
  EXPECT_FALSE(parse_bench_options(std::vector<std::string>{"agents", "--only", "nothing"}).has_value());
}

}  // namespace
}  // namespace statmill
