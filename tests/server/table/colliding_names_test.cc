// Names that a hostile sender has made to have one hash cost no more than others, because the hash has a
// secret.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/thread_cpu.h"
#include "proto/graphite/parser.h"
#include "server/tick/recovery.h"
#include "server/tick/ticker.h"
#include "tests/support/colliding_names.h"
#include "tests/support/memory_store.h"
#include "tests/support/secrets.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

constexpr size_t kCollidingNames = 20'000;

// Returns how many entries of a SeriesIndex with these names are read to look for each of them once, in vain.
size_t probes(const std::vector<std::string>& names, const KeyedHash& hash_of) {
  SeriesIndex index;
  uint32_t number = 0;
  for (const std::string& name : names) index.insert(hash_of(name), SeriesPlace::awake(++number));
  size_t sum = 0;
  for (const std::string& name : names) sum += index.probes(hash_of(name));
  return sum;
}

TEST(CollidingNames, AreValidAndHaveOneHashWithoutASecret) {
  const std::vector<std::string> names = colliding_names(kCollidingNames);
  std::set<uint64_t> hashes;
  Batch batch;
  std::vector<std::string> lines;
  for (const std::string& name : names) lines.push_back(name + " 1");
  for (const std::string& line : lines) parse_graphite_line(line, batch);
  ASSERT_EQ(batch.samples.size(), kCollidingNames);
  for (size_t i = 0; i < kCollidingNames; ++i) {
    ASSERT_EQ(batch.samples[i].name, names[i]);
    hashes.insert(hash_name(names[i]));
  }
  EXPECT_EQ(hashes.size(), 1U);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), kCollidingNames);
}

TEST(CollidingNames, NeedFewProbesInAnIndex) {
  const std::vector<std::string> few = colliding_names(1000);
  EXPECT_EQ(probes(few, KeyedHash()), few.size() * few.size()) << "without a secret";
  EXPECT_LT(probes(few, KeyedHash(secret_of(1))), 10 * few.size());
  EXPECT_LT(probes(colliding_names(kCollidingNames), KeyedHash(secret_of(2))), 10 * kCollidingNames);
}

// A server with a store, which has just started or was restarted.
struct Restarted {
  // Returns the CPU time of the restart in nanoseconds.
  uint64_t start() {
    table = std::make_unique<Table>(tiers, TableLimits{});
    const uint64_t begin_ns = thread_cpu_ns();
    const auto recovery = recover(store, *table, Damage::kRefuse, secret_of(3));
    const uint64_t ns = thread_cpu_ns() - begin_ns;
    EXPECT_TRUE(recovery);
    entries = recovery->journal_entries;
    ticker = std::make_unique<Ticker>(Ticker::Services{*table, store, registry, health, log}, TickOptions{},
                                      recovery->start, SteadyTime{});
    return ns;
  }
  // Sends a sample of each name, and writes it to the journal.
  void send(const std::vector<std::string>& names) {
    Batch batch;
    std::string lines;
    for (const std::string& name : names) lines += name + " 1 " + std::to_string(kNow) + "\n";
    parse_graphite_lines(lines, batch);
    EXPECT_EQ(table->apply(batch, from_unix_seconds(kNow)), names.size());
    EXPECT_TRUE(ticker->tick({from_unix_seconds(kNow), SteadyTime{}}));
  }
  // Returns the number of names in the shard that has most of them.
  size_t largest_shard(const std::vector<std::string>& names) const {
    std::array<size_t, kShardCount> counts{};
    for (const std::string& name : names) ++counts[table->shard_of_name(name)];
    return *std::max_element(counts.begin(), counts.end());
  }

  const Tiers tiers = *Tiers::parse("10s:10d");
  MemoryStore store{tiers};
  Registry registry;
  Health health;
  Log log{LogLevel::kError};
  uint64_t entries = 0;  // of the journal, replayed
  std::unique_ptr<Table> table;
  std::unique_ptr<Ticker> ticker;
};

// Returns the CPU time to start with these names in the catalog and in the journal.
uint64_t replay_ns(const std::vector<std::string>& names) {
  Restarted server;
  server.start();
  server.send(names);
  EXPECT_LT(server.largest_shard(names), 3 * names.size() / kShardCount);
  const uint64_t ns = server.start();
  EXPECT_LT(server.largest_shard(names), 3 * names.size() / kShardCount) << "the same secret";
  EXPECT_EQ(server.table->series_count(), names.size());
  EXPECT_EQ(server.entries, names.size());
  return ns;
}

TEST(CollidingNames, CostARestartNoMoreThanOthers) {
  std::vector<std::string> others;
  for (size_t i = 0; i < kCollidingNames; ++i) others.push_back(std::to_string(i) + std::string(634, 'x'));
  EXPECT_LT(replay_ns(colliding_names(kCollidingNames)), 10 * replay_ns(others))
      << "quadratic work is 100 times as much";
}

}  // namespace
}  // namespace statmill
