#include "server/descriptors.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

// What the limits of connections and the tables of the store can take together.
size_t descriptors_of(const ServerConfig& config) {
  return config.line.connections_max + config.agent.connections_max + config.http.connections_max +
         static_cast<size_t>(config.store.open_files_max);
}

TEST(Descriptors, EnoughOfThemChangeNothing) {
  Log log(LogLevel::kError);
  ServerConfig config;
  EXPECT_FALSE(plan_descriptors(65'536, config, log));
  EXPECT_EQ(descriptors_of(config), descriptors_of(ServerConfig()));
}

TEST(Descriptors, NoLimitGrows) {
  Log log(LogLevel::kError);
  for (size_t descriptors = 128; descriptors < 25'000; descriptors = descriptors * 5 / 4) {
    ServerConfig config;
    config.agent.threads = 1;
    config.http.connections_max = 8;
    ASSERT_FALSE(plan_descriptors(descriptors, config, log)) << descriptors;
    EXPECT_LE(config.http.connections_max, 8U) << descriptors;
    EXPECT_LE(descriptors_of(config), descriptors);
    EXPECT_LE(config.store.open_files_max, ServerConfig().store.open_files_max);
  }
}

TEST(Descriptors, TooFewAreAFault) {
  Log log(LogLevel::kError);
  ServerConfig config;
  const auto fault = plan_descriptors(100, config, log);
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->error.message.find("only 100 files may be open"), std::string::npos);
}

}  // namespace
}  // namespace statmill
