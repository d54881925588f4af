// Suite `agents` of statmill-bench: its command line.
#include <gtest/gtest.h>

#include "tools/statmill-bench/options.h"

namespace statmill {
namespace {

Result<AgentsBenchOptions> parse(const std::vector<std::string>& arguments) {
  const auto values = parse_suite_arguments(arguments, describe_agents());
  return values ? agents_options(*values) : values.error();
}

TEST(AgentsBench, ReadsOptionsWithinBounds) {
  const auto options = parse({"agents", "--only", "latency,recovery", "--agents", "3", "--series", "7",
                              "--samples", "70", "--rate", "1000", "--spool", "5"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->only, (std::vector<std::string>{"latency", "recovery"}));
  EXPECT_EQ(options->agents, 3U);
  EXPECT_EQ(options->series, 7U);
  EXPECT_EQ(options->samples, 70U);
  EXPECT_EQ(options->rate, 1000U);
  EXPECT_EQ(options->spool_bytes, 5U);
  EXPECT_FALSE(parse({"agents", "--agents", "0"}).has_value());
  EXPECT_FALSE(parse({"agents", "--only", "nothing"}).has_value());
}

}  // namespace
}  // namespace statmill
