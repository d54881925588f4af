#include "statmill/family.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace statmill {
namespace {

using Requests = Family<Counter, 2>;

TEST(Family, SameValuesReturnTheSameMember) {
  Registry registry;
  Requests requests("http.requests", "Requests.", {"method", "code"}, 10, &registry);
  Counter& ok = requests.with({"get", "200"});
  ok.add(2);
  requests.with({"get", "200"}).add();
  requests.with({"200", "get"}).add(5);
  EXPECT_EQ(&requests.with({"get", "200"}), &ok);
  EXPECT_EQ(requests.size(), 2u);
  const std::vector<Reading> readings = registry.read();
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].name, "http.requests;code=200;method=get");
  EXPECT_EQ(readings[0].count, 3u);
  EXPECT_EQ(readings[0].help, "Requests.");
  EXPECT_EQ(readings[1].tag("method"), "200");
}

TEST(Family, DifferentTextsAreDifferentMembers) {
  Registry registry;
  Requests requests("r", "", {"a", "b"}, 10, &registry);
  requests.with({"x y", "1"}).add();
  requests.with({"x_y", "1"}).add();
  const std::vector<Reading> readings = registry.read();
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].name, "r;a=x%20y;b=1");
  EXPECT_EQ(readings[1].name, "r;a=x_y;b=1");
}

TEST(Family, BeyondTheLimitAllShareOneMember) {
  Registry registry;
  Requests requests("r", "", {"a", "b"}, 3, &registry);
  for (int i = 0; i < 100; ++i) requests.with({std::to_string(i), "x"}).add();
  EXPECT_EQ(requests.size(), 4u);
  EXPECT_EQ(requests.beyond_limit(), 97u);
  EXPECT_EQ(requests.with({"other", "other"}).value(), 97u);
  EXPECT_EQ(requests.with({"2", "x"}).value(), 1u) << "existing members still count";
  uint64_t all = 0;
  for (const Reading& reading : registry.read()) all += reading.count;
  EXPECT_EQ(all, 100u);
}

TEST(Family, SupportsHistogramsAndGauges) {
  Registry registry;
  Family<Histogram<>, 1> latency("latency", "", {"op"}, 10, &registry);
  latency.with({"get"}).record(5);
  Family<Gauge, 1> level("level", "", {"of"}, 10, &registry);
  level.with({"queue"}).set(4);
  EXPECT_EQ(registry.read().size(), 2u);
}

TEST(Family, LeavesItsRegistryWithAllMembers) {
  Registry registry;
  {
    Requests requests("r", "", {"a", "b"}, 10, &registry);
    requests.with({"1", "2"}).add();
    requests.with({"3", "4"}).add();
    EXPECT_EQ(registry.read().size(), 2u);
  }
  EXPECT_TRUE(registry.read().empty());
}

TEST(Family, ThreadsGetTheSameMembers) {
  Registry registry;
  Requests requests("r", "", {"a", "b"}, 50, &registry);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) requests.with({std::to_string(i % 100), "x"}).add();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(requests.size(), 51u);
  uint64_t all = 0;
  for (const Reading& reading : registry.read()) all += reading.count;
  EXPECT_EQ(all, 4000u);
}

}  // namespace
}  // namespace statmill
