// The lines about agents in the log.
#include "ingest/agents/agent_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/manual_clock.h"

namespace statmill {
namespace {

using testing::HasSubstr;

TEST(AgentLog, HasTenLinesPerSecondOfAKind) {
  Log log(LogLevel::kInfo);
  ManualClock clock;
  AgentLog agents(log, clock);
  const AgentLog::Visitor web{"web", "1234", "0.1.0"};
  testing::internal::CaptureStderr();
  for (int i = 0; i < 10'000; ++i) agents.connected(web, "192.0.2.1:4711");
  agents.left(web, "192.0.2.1:4711", "it closed the connection", std::chrono::minutes(2));
  clock.advance(Duration(1000));
  agents.connected(web, "192.0.2.1:4711");
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(lines, '\n'), 10 + 1 + 1);
  EXPECT_THAT(lines, HasSubstr("connected_s=120 "));
  EXPECT_THAT(lines, HasSubstr("held_back=9990\n"));
}

TEST(AgentLog, ARefusalHasReasonAndText) {
  Log log(LogLevel::kWarn);
  ManualClock clock;
  AgentLog agents(log, clock);
  testing::internal::CaptureStderr();
  agents.refused({"web", "1234", "0.1.0"}, "192.0.2.1:4711", {RefuseReason::kToken, "wrong token"});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("warn agent refused host=web id=1234 version=0.1.0 peer=192.0.2.1:4711 reason=token "
                        "text=\"wrong token\" held_back=0\n"));
}

}  // namespace
}  // namespace statmill
