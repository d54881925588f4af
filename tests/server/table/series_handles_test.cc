// Handles of series: samples that have one need no name while the series stays where it is.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/table/table.h"
#include "tests/support/series_copy.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

class SeriesHandles : public testing::Test {
 protected:
  // Applies a sample for each handle. Returns how many were accepted.
  uint64_t send(const std::vector<SeriesHandle>& handles, const std::string& name = {}) {
    batch_.clear();
    for (size_t i = 0; i < handles.size(); ++i) {
      Sample& sample = batch_.samples.emplace_back();
      sample.name = name;
      sample.kind = Kind::kGauge;
      sample.value = Number::decimal(1, 0);
    }
    batch_.received = handles.size();
    batch_.handles = handles;
    const uint64_t accepted = table_.apply(batch_, from_unix_seconds(kNow));
    EXPECT_EQ(accepted + empty_names(), handles.size());
    return accepted;
  }
  uint64_t empty_names() const { return batch_.refused[static_cast<size_t>(Refusal::kEmptyName)]; }
  // The name of all samples, for those that need it.
  void know(const std::string& name) {
    batch_.late_name = [this, name](size_t) -> std::string_view {
      ++names_read_;
      return batch_.keep(name);
    };
  }
  // Returns the handle of the series, which it creates if there is none.
  SeriesHandle handle_of(const std::string& name) {
    send({{}, {}}, name);
    return batch_.handles[1];
  }
  void change(const SeriesChanges& changes) { table_.end_epoch(changes); }
  uint64_t count(const std::string& name) {
    const auto copy = copy_of(table_, name);
    return copy && !copy->unflushed.empty() ? copy->unflushed.at(0).bucket.count() : 0;
  }

  const Tiers tiers_ = *Tiers::parse("10s:10d");
  Table table_{tiers_, TableLimits()};
  Batch batch_;
  size_t names_read_ = 0;
};

TEST_F(SeriesHandles, FindTheSeriesWithoutItsName) {
  const SeriesHandle a = handle_of("a");
  const SeriesHandle b = handle_of("b");
  ASSERT_FALSE(a.is_none());
  EXPECT_EQ(handle_of("a"), a);
  know("never");
  EXPECT_EQ(send({a, b, a}), 3U);
  EXPECT_EQ(batch_.handles, (std::vector<SeriesHandle>{a, b, a}));
  EXPECT_EQ(names_read_, 0U);
  EXPECT_EQ(count("a"), 6U);
  EXPECT_EQ(count("b"), 3U);
}

TEST_F(SeriesHandles, NeedTheNameOnceASeriesIsDeleted) {
  const SeriesHandle a = handle_of("a");
  const std::string_view gone = "a";
  change({.deletes = {&gone, 1}, .slots = {}, .renames = {}});
  EXPECT_EQ(send({a}), 0U) << "there is no name";
  EXPECT_EQ(table_.series_count(), 0U);
  handle_of("b");  // at the place of the one before
  know("a");
  EXPECT_EQ(send({a, a}), 2U);
  EXPECT_EQ(names_read_, 2U);
  EXPECT_EQ(count("a"), 2U);
  EXPECT_EQ(count("b"), 2U);
  EXPECT_EQ(send({batch_.handles[1]}), 1U);
  EXPECT_EQ(names_read_, 2U) << "the second sample got a handle";
}

TEST_F(SeriesHandles, NeedTheNameOnceASeriesIsRenamed) {
  const SeriesHandle a = handle_of("a");
  const NewName names{"a", "b"};
  change({.deletes = {}, .slots = {}, .renames = {&names, 1}});
  EXPECT_EQ(send({a}), 0U);
  know("a");
  EXPECT_EQ(send({a}), 1U);
  EXPECT_EQ(count("a"), 1U);
  EXPECT_EQ(count("b"), 2U);
}

TEST_F(SeriesHandles, NeedTheNameOnceASeriesIsIdle) {
  const SeriesHandle a = handle_of("a");
  const int parity = table_.end_epoch({}).parity;
  for (int shard = 0; shard < kShardCount; ++shard)
    table_.collect(static_cast<ShardNo>(shard), parity, nullptr);
  for (TickNo tick = 1; tick <= 2; ++tick) {
    for (int shard = 0; shard < kShardCount; ++shard) {
      table_.begin_flush(static_cast<ShardNo>(shard), tick, {.idle_before = kNow + 1});
      table_.end_flush(static_cast<ShardNo>(shard));
    }
    table_.index_names(10);
  }
  ASSERT_EQ(table_.idle_count(), 1U);
  EXPECT_EQ(send({a}), 0U);
  EXPECT_EQ(table_.idle_count(), 1U);
  know("a");
  EXPECT_EQ(send({a, a}), 2U);
  EXPECT_EQ(table_.series_count(), 1U);
  EXPECT_EQ(count("a"), 2U);
  EXPECT_NE(batch_.handles[0], a);
  EXPECT_EQ(batch_.handles[0], batch_.handles[1]);
}

TEST_F(SeriesHandles, OfNoSeriesNeedTheName) {
  EXPECT_EQ(send({{}}), 0U);
  EXPECT_EQ(table_.series_count(), 0U);
  know("a");
  EXPECT_EQ(send({{}}), 1U);
  EXPECT_EQ(count("a"), 1U);
}

// Its shard is not locked.
TEST_F(SeriesHandles, AreNotExchangedForANameOfAnotherShard) {
  const SeriesHandle a = handle_of("a");
  const std::string_view gone = "a";
  change({.deletes = {&gone, 1}, .slots = {}, .renames = {}});
  std::string other = "b";
  while (table_.shard_of_name(other) == table_.shard_of_name("a")) other += "b";
  EXPECT_EQ(send({a}, other), 0U);
  know(other);
  EXPECT_EQ(send({a}), 0U);
  EXPECT_EQ(table_.series_count(), 0U);
}

}  // namespace
}  // namespace statmill
