// Samples of remote_write through table, tick and crashes: each counts once.
#include "server/prometheus/remote_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/server/prometheus/remote_server.h"

namespace statmill {
namespace {

using remote::ms;
using remote::series;

TEST(RemoteTable, ACounterCountsWhatItWentUpBy) {
  RemoteServer server;
  server.send({series("n_total", {{100, ms(0), 0}, {103, ms(15), 0}})});
  server.send({series("n_total", {{110, ms(30), 0}, {4, ms(45), 0}})});
  EXPECT_EQ(server.kind("n_total"), Kind::kCounter);
  EXPECT_EQ(server.total("n_total"), 14);
}

TEST(RemoteTable, ACounterWithAKnownStartCountsFromThere) {
  RemoteServer server;
  server.send2({series("n", {{100, ms(0), ms(-60)}}, FamilyType::kCounter)});
  EXPECT_EQ(server.kind("n"), Kind::kCounter);
  EXPECT_EQ(server.total("n"), 100);
}

TEST(RemoteTable, AFirstValueIsPresentAlthoughItCountsNothing) {
  RemoteServer server;
  server.send({series("n_total", {{100, ms(0), 0}})});
  EXPECT_EQ(server.total("n_total"), 0);
}

TEST(RemoteTable, AGaugeIsStoredAsItIsAndOnce) {
  RemoteServer server;
  const std::vector<SentSeries> request = {series("heat", {{1.5, ms(0), 0}, {2.5, ms(15), 0}})};
  EXPECT_EQ(server.send(request).accepted, 2U);
  const RemoteAccount again = server.send(request);
  EXPECT_EQ(again.accepted, 1U) << "the last one is known to be the same";
  EXPECT_EQ(again.reasons(), "1 out_of_order");
  EXPECT_EQ(server.kind("heat"), Kind::kGauge);
  EXPECT_EQ(server.total("heat"), 4);
}

// With --prometheus.out_of_order.
class RemoteTableLate : public ::testing::Test {
 protected:
  RemoteTableLate() {
    server_.options.out_of_order = std::chrono::hours(1);
    server_.restart();
  }
  RemoteServer server_;
};

TEST_F(RemoteTableLate, AGaugesLateSamplesCountOnceOverRetriesAndCrashes) {
  const std::vector<SentSeries> late = {series("heat", {{2, ms(-600), 0}, {3, ms(-590), 0}})};
  EXPECT_EQ(server_.send({series("heat", {{1, ms(0), 0}})}).accepted, 1U);
  EXPECT_EQ(server_.send(late).accepted, 2U);
  EXPECT_EQ(server_.total("heat"), 6);
  ASSERT_TRUE(server_.tick());
  server_.restart();
  const RemoteAccount again = server_.send(late);
  EXPECT_EQ(again.accepted, 2U) << again.reasons();
  EXPECT_EQ(server_.total("heat"), 6);
  EXPECT_EQ(server_.send({series("heat", {{9, ms(-3601), 0}})}).reasons(), "1 out_of_order");
}

TEST_F(RemoteTableLate, WhatNoTickWroteIsLateAgain) {
  server_.send({series("heat", {{1, ms(0), 0}})});
  ASSERT_TRUE(server_.tick());
  server_.send({series("heat", {{2, ms(-600), 0}})});
  server_.restart();
  EXPECT_EQ(server_.total("heat"), 1);
  EXPECT_EQ(server_.send({series("heat", {{2, ms(-600), 0}})}).accepted, 1U);
  EXPECT_EQ(server_.total("heat"), 3);
}

TEST_F(RemoteTableLate, ALateSampleDoesNotReviveASeriesThatEnded) {
  server_.send({series("heat", {{1, ms(0), 0}})});
  server_.values().end_series(std::vector{hash_name("heat", 0)}, ms(10));
  server_.send({series("heat", {{2, ms(-600), 0}})});
  EXPECT_EQ(server_.table().ends().size(), 1U);
  server_.send({series("heat", {{2, ms(20), 0}})});
  EXPECT_EQ(server_.table().ends().size(), 0U);
}

// What came before it was forgotten may come again.
TEST_F(RemoteTableLate, NoSampleIsLaterThanASeriesIsRemembered) {
  server_.options.forget = std::chrono::minutes(5);
  server_.restart();
  server_.send({series("heat", {{1, ms(0), 0}})});
  EXPECT_EQ(server_.send({series("heat", {{2, ms(-300), 0}})}).accepted, 1U);
  EXPECT_EQ(server_.send({series("heat", {{2, ms(-310), 0}})}).reasons(), "1 out_of_order");
}

TEST_F(RemoteTableLate, WithoutRoomForSlotsSamplesMustComeInOrder) {
  server_.options.histogram_bytes = 100;
  server_.restart();
  EXPECT_EQ(server_.send({series("heat", {{1, ms(0), 0}})}).accepted, 1U);
  EXPECT_EQ(server_.send({series("heat", {{2, ms(-600), 0}})}).reasons(), "1 out_of_order");
}

// Without slots a gauge counts, but a histogram without its counts is refused.
TEST_F(RemoteTableLate, SlotsLeaveHalfOfTheRoomToHistograms) {
  server_.options.histogram_bytes = 260;
  server_.restart();
  for (const char* name : {"heat", "cold"}) server_.send({series(name, {{1, ms(0), 0}})});
  EXPECT_EQ(server_.send({series("heat", {{2, ms(-600), 0}})}).accepted, 1U);
  EXPECT_EQ(server_.send({series("cold", {{2, ms(-600), 0}})}).reasons(), "1 out_of_order");
}

TEST(RemoteTable, ACounterStaysOneWithoutItsType) {
  RemoteServer server;
  server.send({}, {{"x", FamilyType::kHistogram, ""}});
  server.send({series("x_sum", {{1, ms(0), 0}})});
  ASSERT_TRUE(server.tick());
  server.restart();  // the types of families are forgotten
  server.send({series("x_sum", {{5, ms(15), 0}})});
  EXPECT_EQ(server.kind("x_sum"), Kind::kCounter);
  EXPECT_EQ(server.total("x_sum"), 4);
}

TEST(RemoteTable, AGaugeStaysOneWhenItsTypeComesLater) {
  RemoteServer server;
  server.send({series("x_sum", {{1, ms(0), 0}})});
  server.send({}, {{"x", FamilyType::kHistogram, ""}});
  server.send({series("x_sum", {{5, ms(15), 0}})});
  EXPECT_EQ(server.kind("x_sum"), Kind::kGauge);
  EXPECT_EQ(server.total("x_sum"), 6);
}

TEST(RemoteTable, WhatTheTableRefusesIsNotCountedLater) {
  RemoteServer server;
  server.limits.series_max = 1;
  server.restart();
  server.send({series("a_total", {{10, ms(0), 0}})});
  EXPECT_EQ(server.send({series("b_total", {{10, ms(0), 0}})}).reasons(), "1 series_limit");
  EXPECT_EQ(server.values().series(), 1U);
  // A time that is too new is not the counter's last time.
  EXPECT_EQ(server.send({series("a_total", {{11, ms(7200), 0}})}).reasons(), "1 too_new");
  EXPECT_EQ(server.send({series("a_total", {{12, ms(15), 0}})}).reasons(), "");
  EXPECT_EQ(server.total("a_total"), 2);
}

TEST(RemoteTable, ANegativeCounterIsRefused) {
  RemoteServer server;
  EXPECT_EQ(server.send({series("n_total", {{-1, ms(0), 0}})}).reasons(), "1 out_of_range");
  EXPECT_EQ(server.total("n_total"), std::nullopt);
}

TEST(RemoteTable, AnAnswerWaitsForTheTick) {
  RemoteServer server;
  const RemoteAccount first = server.send({series("n_total", {{1, ms(0), 0}})});
  EXPECT_FALSE(server.is_durable(first.ticket));
  server.store.fail_next_write({ErrorCode::kIo, "full"});
  EXPECT_FALSE(server.tick());
  EXPECT_FALSE(server.is_durable(first.ticket));
  const RemoteAccount second = server.send({series("n_total", {{2, ms(15), 0}})});
  ASSERT_TRUE(server.tick());  // writes the failed one, then the next
  EXPECT_TRUE(server.is_durable(first.ticket));
  EXPECT_TRUE(server.is_durable(second.ticket));
  const RemoteAccount third = server.send({series("n_total", {{3, ms(30), 0}})});
  EXPECT_FALSE(server.is_durable(third.ticket)) << "it came after the tick";
  ASSERT_TRUE(server.tick());
  EXPECT_TRUE(server.is_durable(third.ticket));
}

TEST(RemoteTable, ARepeatedSampleWaitsForTheTickOfTheFirst) {
  RemoteServer server;
  server.send({series("n_total", {{1, ms(0), 0}})});
  const RemoteAccount again = server.send({series("n_total", {{1, ms(0), 0}})});
  EXPECT_FALSE(server.is_durable(again.ticket));
  ASSERT_TRUE(server.tick());
  EXPECT_TRUE(server.is_durable(again.ticket));
}

TEST(RemoteTable, AnEmptyRequestNeedNotWait) {
  RemoteServer server;
  EXPECT_TRUE(server.is_durable(server.send({}).ticket));
}

TEST(RemoteTable, ForgetsSeriesThatAreSilent) {
  RemoteServer server;
  server.send({series("n_total", {{1, ms(0), 0}}), series("m_total", {{1, ms(0), 0}})});
  server.now_s += 3600 * 23;
  server.send({series("m_total", {{2, ms(0) + 3600 * 23 * 1000, 0}})});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(server.tick());
  EXPECT_EQ(server.values().series(), 2U);
  server.now_s += 3600 * 2;
  server.send({series("m_total", {{3, ms(3600 * 25), 0}})});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(server.tick());
  EXPECT_EQ(server.values().series(), 1U);
}

TEST(RemoteTable, AStopDoesNotCountForForgetting) {
  RemoteServer server;
  server.send({series("n_total", {{1, ms(0), 0}})});
  ASSERT_TRUE(server.tick());
  server.now_s += 3600 * 24 * 3;
  server.restart();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(server.tick());
  server.send({series("n_total", {{9, ms(3600 * 24 * 3), 0}})});
  EXPECT_EQ(server.total("n_total"), 8);
}

// A sender of counters and a gauge, whose values it knows.
class KnownSender {
 public:
  explicit KnownSender(std::mt19937_64& random) : random_(random) {}

  std::vector<SentSeries> next_request() {
    std::vector<SentSeries> request;
    ++second_;
    for (const char* name : {"a_total", "b_total", "c_total"}) {
      if (random_() % 4 == 0) continue;
      const bool is_first = !values_.contains(name);
      uint64_t& last = values_[name];
      const bool is_reset = !is_first && random_() % 5 == 0 && last > 0;
      const uint64_t value = is_reset ? random_() % last : last + random_() % 100;
      counted_[name] += static_cast<double>(is_first ? 0 : is_reset ? value : value - last);
      last = value;
      request.push_back(series(name, {{static_cast<double>(value), ms(second_), 0}}));
    }
    counted_["heat"] += static_cast<double>(second_);
    request.push_back(series("heat", {{static_cast<double>(second_), ms(second_), 0}}));
    return request;
  }
  // What the server must have counted, by name.
  const std::map<std::string, double>& counted() const { return counted_; }

 private:
  std::mt19937_64& random_;
  int64_t second_ = 0;
  std::map<std::string, uint64_t> values_;
  std::map<std::string, double> counted_;
};

// Sends the request until it is durable. The server crashes between any two steps, and the store refuses some
// writes.
void send_until_durable(RemoteServer& server, const std::vector<SentSeries>& request,
                        std::mt19937_64& random) {
  for (;;) {
    const RemoteAccount account = server.send(request);
    ASSERT_EQ(account.reasons(), "");
    switch (random() % 6) {
      case 0:
        server.restart();
        break;  // before the tick
      case 1:
        static_cast<void>(server.tick());
        server.restart();  // after it, before the answer
        break;
      case 2:
        server.store.fail_next_write({ErrorCode::kIo, "full"}, random() % 2 == 0
                                                                   ? MemoryStore::Effect::kWhole
                                                                   : MemoryStore::Effect::kNone);
        static_cast<void>(server.tick());
        if (random() % 2 == 0) server.restart();
        break;
      default:
        if (server.tick() && server.is_durable(account.ticket)) return;
    }
  }
}

TEST(RemoteTable, ARetryAfterACrashCountsOnce) {
  for (uint64_t seed = 1; seed <= 20 && !testing::Test::HasFatalFailure(); ++seed) {
    std::mt19937_64 random(seed);
    RemoteServer server;
    KnownSender sender(random);
    for (int round = 0; round < 8; ++round) send_until_durable(server, sender.next_request(), random);
    if (random() % 2 == 0) server.restart();
    for (const auto& [name, total] : sender.counted())
      EXPECT_EQ(server.total(name), total) << seed << " " << name;
  }
}

}  // namespace
}  // namespace statmill
