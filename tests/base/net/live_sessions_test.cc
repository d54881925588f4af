#include "base/net/live_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace statmill {
namespace {

using testing::ElementsAre;

struct Session : std::enable_shared_from_this<Session> {
  explicit Session(int n) : number(n) {}
  int number;
};

std::vector<int> numbers_of(const LiveSessions<Session>& sessions) {
  std::vector<int> numbers;
  sessions.for_each([&](Session& session) { numbers.push_back(session.number); });
  return numbers;
}

TEST(LiveSessions, CallsThoseThatHaveNotEndedOldestFirst) {
  LiveSessions<Session> sessions(SessionLimit(10));
  const auto one = sessions.make(sessions.limit().enter(std::nullopt), 1);
  auto two = sessions.make(sessions.limit().enter(std::nullopt), 2);
  const auto three = sessions.make(sessions.limit().enter(std::nullopt), 3);
  two.reset();
  EXPECT_THAT(numbers_of(sessions), ElementsAre(1, 3));
  EXPECT_EQ(sessions.limit().count(), 2U);
}

TEST(LiveSessions, SeveralShareALimit) {
  const SessionLimit limit(2);
  LiveSessions<Session> some(limit);
  LiveSessions<Session> others(limit);
  auto one = some.make(some.limit().enter(std::nullopt), 1);
  EXPECT_FALSE(limit.refusal(std::nullopt));
  const auto two = others.make(others.limit().enter(std::nullopt), 2);
  EXPECT_TRUE(limit.refusal(std::nullopt));
  EXPECT_THAT(numbers_of(others), ElementsAre(2));
  one.reset();
  EXPECT_FALSE(limit.refusal(std::nullopt));
}

TEST(LiveSessions, ASessionMayEndWhileAllAreClosed) {
  LiveSessions<Session> sessions(SessionLimit(10));
  std::vector<std::shared_ptr<Session>> owners;
  for (int i = 0; i < 3; ++i) owners.push_back(sessions.make(sessions.limit().enter(std::nullopt), i));
  sessions.for_each([&](Session& session) { owners[static_cast<size_t>(session.number)].reset(); });
  EXPECT_EQ(sessions.limit().count(), 0U);
}

TEST(LiveSessions, ASessionMayOutliveThem) {
  const SessionLimit limit(10);
  std::shared_ptr<Session> last;
  {
    LiveSessions<Session> sessions(limit);
    last = sessions.make(sessions.limit().enter(std::nullopt), 1);
  }
  EXPECT_EQ(last->weak_from_this().use_count(), 1);
  last.reset();
  EXPECT_EQ(limit.count(), 0U);
}

}  // namespace
}  // namespace statmill
