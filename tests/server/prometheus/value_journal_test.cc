#include "server/prometheus/value_journal.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "tests/support/memory_store.h"

namespace statmill {
namespace {

const Timestamp kNow = from_unix_seconds(1'700'000'000);

Hash128 name_of(uint64_t number) { return hash_name(std::to_string(number), 0); }

LastValue value_of(uint64_t number, int64_t value) {
  return {name_of(number), Number::decimal(value, 0), 1000 + value, 0, unix_seconds(kNow), true};
}

// What a start reads.
std::map<uint64_t, LastValue> stored(MemoryStore& store) {
  std::map<uint64_t, LastValue> all;
  EXPECT_TRUE(store.snapshot()->values([&](TickNo tick, std::string_view bytes) -> Status {
    auto reader = ValueRowReader::open(tick, bytes);
    EXPECT_TRUE(reader);
    for (;;) {
      const auto value = reader->next();
      if (!value) return value.error();
      if (!*value) return Status::ok();
      all[(*value)->name.low] = **value;
    }
  }));
  return all;
}

class ValueJournalTest : public testing::Test {
 protected:
  void change(uint64_t number, int64_t value, int parity) {
    const LastValue next = value_of(number, value);
    auto place = values_.find(next.name);
    if (place == LastValueTable::kNone) {
      place = values_.insert(next);
    } else {
      values_.set(place, next);
    }
    journal_.note(parity, values_, place, kNow);
  }
  void forget(uint64_t number) { values_.erase(values_.find(name_of(number))); }
  // Ends the epoch, whose batch becomes durable.
  void tick(int parity) {
    StoreBatch batch;
    batch.tick = ++tick_;
    journal_.add_to(parity, values_, batch);
    for (const StoreBatch::Row& row : batch.values) {
      auto reader = ValueRowReader::open(row.tick, row.bytes);
      ASSERT_TRUE(reader);
      while (reader->next()->has_value()) ++entries_;
    }
    ASSERT_TRUE(store_.write(batch));
  }
  // Changes so many values that rounds must remove rows.
  void fill(uint64_t numbers, int ticks) {
    for (int i = 0; i < ticks; ++i) {
      for (uint64_t n = 0; n < numbers; ++n) change(n, i, i % 2);
      tick(i % 2);
    }
  }

  MemoryStore store_{*Tiers::parse("10s:10d,5m:1y")};
  LastValueTable values_;
  ValueJournal journal_;
  TickNo tick_ = 0;
  size_t entries_ = 0;  // of all rows so far
};

TEST_F(ValueJournalTest, AnIdleServerWritesNothing) {
  StoreBatch batch;
  batch.tick = 1;
  journal_.add_to(0, values_, batch);
  EXPECT_TRUE(batch.is_empty());
}

TEST_F(ValueJournalTest, ARowHasTheValuesOfItsEpochAlone) {
  change(1, 10, 0);
  change(2, 20, 0);
  change(1, 11, 1);  // of the next epoch, which began before the row was made
  tick(0);
  EXPECT_EQ(stored(store_).at(name_of(1).low).value, Number::decimal(10, 0));
  tick(1);
  EXPECT_EQ(stored(store_).at(name_of(1).low).value, Number::decimal(11, 0));
  EXPECT_EQ(stored(store_).at(name_of(2).low).value, Number::decimal(20, 0));
}

TEST_F(ValueJournalTest, RowsStayBoundedAndKeepWhatDoesNotChange) {
  change(1'000'000, 7, 0);  // never again
  tick(0);
  fill(2000, 1000);
  EXPECT_LT(journal_.rows_bytes(), 3 * ValueJournal::kRowsBytesMin);
  EXPECT_EQ(stored(store_).size(), 2001U);
  EXPECT_EQ(stored(store_).at(name_of(1'000'000).low).value, Number::decimal(7, 0));
}

TEST_F(ValueJournalTest, ARoundWritesOnlyWhatHasNotChangedSinceItsBegin) {
  change(1'000'000, 7, 0);
  tick(0);
  fill(2000, 1000);
  const size_t changes = 2000 * 1000 + 1;
  EXPECT_GT(entries_, changes) << "no round has passed the entry that does not change";
  EXPECT_LT(entries_, changes + 100);
}

TEST_F(ValueJournalTest, WhatIsForgottenLeavesTheRows) {
  fill(100, 2);
  for (uint64_t n = 50; n < 100; ++n) forget(n);
  fill(50, 20'000);
  EXPECT_EQ(stored(store_).size(), 50U);
}

// Whatever changes in which epoch: after each tick the store has all values as they were at the end of it.
TEST_F(ValueJournalTest, TheStoreIsAtTheEndOfTheLastEpoch) {
  std::mt19937_64 random(1);
  fill(3000, 60);  // so that a round begins soon
  std::map<uint64_t, LastValue> ended = stored(store_);
  std::map<uint64_t, LastValue> now = ended;
  int parity = 0;
  TickNo rounds = 0;
  for (int i = 0; i < 100; ++i) {
    const auto some = [&](int of) {
      for (auto n = static_cast<int64_t>(random() % 400); n > 0; --n) {
        const uint64_t number = random() % 3200;
        change(number, 100 + n, of);
        now[name_of(number).low] = value_of(number, 100 + n);
      }
    };
    const size_t bytes = journal_.rows_bytes();
    some(parity);
    ended = now;
    some(1 - parity);  // the next epoch has begun
    tick(parity);
    ASSERT_EQ(stored(store_), ended) << i;
    if (journal_.rows_bytes() < bytes) ++rounds;
    parity = 1 - parity;
  }
  EXPECT_GT(rounds, 0U);
}

}  // namespace
}  // namespace statmill
