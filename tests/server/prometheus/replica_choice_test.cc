#include "server/prometheus/replica_choice.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/server/prometheus/remote_server.h"

namespace statmill {
namespace {

using std::chrono::seconds;

class ReplicaChoiceTest : public testing::Test {
 protected:
  std::string choose(std::string_view cluster, std::string_view replica) {
    const auto verdict = choice_.choose(cluster, replica).verdict;
    return verdict.is_accepted() ? "accepted" : std::string(refusal_label(verdict.reason()));
  }

  Registry registry_;
  ManualClock clock_;
  ReplicaChoice choice_{{.clusters_max = 3}, clock_, registry_};
};

TEST_F(ReplicaChoiceTest, OneOfEachClusterCountsUntilItIsSilent) {
  EXPECT_EQ(choose("eu", "a"), "accepted");
  EXPECT_EQ(choose("eu", "b"), "replica");
  EXPECT_EQ(choose("us", "b"), "accepted") << "another cluster";
  clock_.advance(seconds(20));
  EXPECT_EQ(choose("eu", "a"), "accepted");
  clock_.advance(seconds(30));
  EXPECT_EQ(choose("eu", "b"), "replica") << "30 s are not longer than 30 s";
  clock_.advance(seconds(1));
  EXPECT_EQ(choose("eu", "b"), "accepted");
  EXPECT_EQ(choose("eu", "a"), "replica") << "it is back, but the other one is elected";
}

TEST_F(ReplicaChoiceTest, SilentClustersMakeRoomForOthers) {
  for (const char* cluster : {"1", "2", "3"}) {
    EXPECT_EQ(choose(cluster, "a"), "accepted");
    clock_.advance(seconds(10));
  }
  EXPECT_EQ(choose("4", "a"), "state_limit");
  EXPECT_EQ(choose("2", "a"), "accepted");
  clock_.advance(seconds(11));
  EXPECT_EQ(choose("4", "a"), "accepted") << "1 is silent";
  EXPECT_EQ(choose("5", "a"), "state_limit");
  EXPECT_EQ(choose("2", "b"), "replica");
  EXPECT_EQ(choice_.clusters(), 3U);
}

TEST_F(ReplicaChoiceTest, ARefusalIsShownOnceInAMinute) {
  choose("eu", "a");
  EXPECT_TRUE(choice_.choose("eu", "b").is_shown);
  EXPECT_FALSE(choice_.choose("eu", "b").is_shown);
  for (int i = 0; i < 4; ++i) {
    clock_.advance(seconds(20));
    choose("eu", "a");
  }
  EXPECT_TRUE(choice_.choose("eu", "b").is_shown);
}

TEST(ReplicaLabels, AreTwo) {
  EXPECT_EQ(*parse_replica_labels("a,b"), std::pair(std::string("a"), std::string("b")));
  EXPECT_EQ(*parse_replica_labels(""), std::pair(std::string(), std::string()));
  for (const char* const wrong : {"a", "a,", ",b", "a,b,c", "a,a"}) EXPECT_FALSE(parse_replica_labels(wrong));
}

SentSeries of_replica(const std::string& replica, double value, int64_t time_ms) {
  return {{{"__name__", "n_total"}, {"__replica__", replica}, {"cluster", "eu"}}, {{value, time_ms, 0}}};
}

TEST(ReplicaSamples, HaveNoLabelOfTheirReplica) {
  RemoteServer server;
  EXPECT_EQ(server.send({of_replica("a", 5, remote::ms(0))}).accepted, 1U);
  EXPECT_EQ(server.total("n_total;cluster=eu"), 0);
  // One label alone is like any other.
  server.send({{{{"__name__", "m"}, {"__replica__", "a"}}, {{2, remote::ms(0), 0}}}});
  EXPECT_EQ(server.total("m;__replica__=a"), 2);
}

TEST(ReplicaSamples, OfTheOtherAreRefusedWithoutAnError) {
  RemoteServer server;
  server.send({of_replica("a", 5, remote::ms(0))});
  std::vector<SentSeries> many(3000, of_replica("b", 9, remote::ms(10)));
  many.back().histograms = 1;
  const RemoteAccount account = server.send(many);
  EXPECT_EQ(account.received, 3001U);
  EXPECT_EQ(account.refused[static_cast<size_t>(Refusal::kReplica)], 3001U);
  EXPECT_EQ(account.refused_for_good(), 0U);
  EXPECT_EQ(account.reasons(), "");
  EXPECT_EQ(server.total("n_total;cluster=eu"), 0);
  const auto shown = server.lines().refusals().records();
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0].text, "cluster=eu;__replica__=b");
}

TEST(ReplicaSamples, OfLongNamesAreRefusedAndNotRemembered) {
  RemoteServer server;
  const std::string longest(2048, 'a');
  for (const char* const label : {"cluster", "__replica__"}) {
    SentSeries series = of_replica("a", 5, remote::ms(0));
    for (auto& [name, value] : series.labels) {
      if (name == label) value = longest + "a";
    }
    EXPECT_EQ(server.send({series}).reasons(), "1 name_too_long");
  }
  EXPECT_EQ(server.send({of_replica(longest, 5, remote::ms(0))}).accepted, 1U) << "the cluster has no other";
}

TEST(ReplicaSamples, CanBeLeftAlone) {
  RemoteServer server;
  server.options.replicas.cluster_label = server.options.replicas.replica_label = "";
  server.restart();
  server.send({of_replica("a", 5, remote::ms(0)), of_replica("b", 5, remote::ms(0))});
  EXPECT_EQ(server.total("n_total;__replica__=b;cluster=eu"), 0);
}

// Two replicas scrape a counter at moments of their own, and the one that counts is killed now and then. What
// is counted is what the counter went up by between the first sample that counts and the last one.
TEST(ReplicaSamples, CountExactlyOverAFailover) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    RemoteServer server;
    uint64_t value = random() % 100;
    uint64_t first = 0;
    uint64_t last = 0;
    uint64_t accepted = 0;
    std::map<std::string, int> down_until = {{"a", 0}, {"b", 0}};
    for (int second = 0; second < 900; ++second) {
      value += random() % 5;
      server.clock.advance(seconds(1));
      for (auto& [replica, until] : down_until) {
        if (second < until || second % 15 != (replica == "a" ? 3 : 9)) continue;
        if (random() % 20 == 0) {
          until = second + 20 + static_cast<int>(random() % 60);
          continue;
        }
        if (random() % 100 == 0) server.restart();
        server.now_s = RemoteServer::kNow + second;
        const auto account =
            server.send({of_replica(replica, static_cast<double>(value), remote::ms(second))});
        EXPECT_TRUE(server.tick());
        if (account.accepted == 0) continue;
        if (accepted++ == 0) first = value;
        last = value;
      }
    }
    EXPECT_GT(accepted, 20U);
    server.now_s = RemoteServer::kNow + 900;
    EXPECT_EQ(server.total("n_total;cluster=eu"), static_cast<double>(last - first));
  }
}

}  // namespace
}  // namespace statmill
