// Exemplars in both stores.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/rocks/exemplar_rows.h"
#include "storage/rocks/rocks_batch.h"
#include "storage/rocks/rocks_database.h"
#include "storage/rocks/rocks_store.h"
#include "tests/storage/loaded_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

ExemplarRow row(SeriesId id, Slot slot, double value, int64_t ms = 0) { return {{id, slot}, value, ms, ""}; }

void write(Store& store, std::vector<ExemplarRow> exemplars, std::vector<ExemplarRange> removed = {}) {
  StoreBatch batch;
  batch.exemplars = std::move(exemplars);
  batch.removed_exemplars = std::move(removed);
  EXPECT_FALSE(batch.is_empty());
  EXPECT_TRUE(store.write(batch));
}

std::string exemplars_of(Store& store, const ExemplarRange& range) {
  std::string out;
  const auto damaged = store.snapshot()->exemplars(range, [&](const ExemplarRow& found) {
    out += std::to_string(found.key.slot) + "=" + std::to_string(static_cast<int>(found.value)) + "@" +
           std::to_string(found.time_ms) + " ";
    return true;
  });
  EXPECT_TRUE(damaged);
  return out + (*damaged > 0 ? "damaged" : "");
}

// The largest per series and slot wins; ranges are removed with what the same batch has.
void fill(Store& store) {
  write(store, {row(1, 10, 5), row(1, 11, 1), row(2, 10, 7)});
  write(store, {row(1, 10, 4), row(1, 11, 3), row(1, 12, 9), row(3, 10, 1)});
  write(store, {row(1, 12, 10), row(3, 11, 1)}, {{3}, {1, 12, 13}});
  write(store, {row(3, 12, 2)});
}

void expect_filled(Store& store) {
  EXPECT_EQ(exemplars_of(store, {1}), "10=5@0 11=3@0 ");
  EXPECT_EQ(exemplars_of(store, {1, 11, 12}), "11=3@0 ");
  EXPECT_EQ(exemplars_of(store, {1, 11, 11}), "");
  EXPECT_EQ(exemplars_of(store, {2}), "10=7@0 ");
  EXPECT_EQ(exemplars_of(store, {3}), "12=2@0 ") << "of a new series with the id of the deleted one";
  size_t visited = 0;
  EXPECT_TRUE(store.snapshot()->exemplars({1}, [&](const ExemplarRow&) { return ++visited == 0; }));
  EXPECT_EQ(visited, 1U) << "until `visit` returns false";
}

class RocksExemplars : public testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() {
    store_.reset();
    RocksOptions options;
    options.path = path_;
    options.sync = false;
    auto store = RocksStore::open(options, tiers());
    ASSERT_TRUE(store);
    store_ = std::move(*store);
  }
  // Compacts all rows of exemplars, after `change` has changed the database or what it keeps.
  template <class Change>
  void compact(const Change& change) {
    store_.reset();
    auto database = RocksDatabase::open(path_ + "/db", {}, tiers());
    ASSERT_TRUE(database);
    change(**database);
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    ASSERT_TRUE((*database)->db().Flush({}, (*database)->exemplars()).ok());
    ASSERT_TRUE((*database)->db().CompactRange(options, (*database)->exemplars(), nullptr, nullptr).ok());
    database->reset();
    open();
  }

  const TempDirectory directory_;
  const std::string path_ = directory_.path() / "data";
  std::unique_ptr<RocksStore> store_;
};

TEST(StoreExemplars, MemoryKeepsTheLargest) {
  MemoryStore store(tiers());
  fill(store);
  expect_filled(store);
}

TEST_F(RocksExemplars, ThoseOfExpiredChunksAreNotSeenBeforeTheyAreCompacted) {
  const Slot old = 2160 * 5;
  const auto expect_expired = [&](Store& store) {
    write(store, {row(1, old - 1, 5), row(1, old, 6)});
    EXPECT_TRUE(store.expire(0, 5));
    EXPECT_EQ(exemplars_of(store, {1}), std::to_string(old) + "=6@0 ");
    EXPECT_EQ(exemplars_of(store, {1, 0, old}), "");
  };
  expect_expired(*store_);
  MemoryStore memory(tiers());
  expect_expired(memory);
}

TEST_F(RocksExemplars, TheLargestIsKeptAcrossStartsAndCompactions) {
  fill(*store_);
  expect_filled(*store_);
  open();
  expect_filled(*store_);
  compact([](RocksDatabase&) {});
  expect_filled(*store_);
}

TEST_F(RocksExemplars, ThoseOfExpiredChunksAndDeletedSeriesGoWhenTheyAreCompacted) {
  const Slot old = 2160 * 5;
  write(*store_, {row(1, old - 1, 5), row(1, old, 6), row(2, old, 7)});
  compact([](RocksDatabase& database) {
    database.expiry().set_cutoff(0, kDefaultRetention, 5);
    database.expiry().set_class(2, kGone);
  });
  EXPECT_EQ(exemplars_of(*store_, {1}), std::to_string(old) + "=6@0 ");
  EXPECT_EQ(exemplars_of(*store_, {2}), "");
}

TEST_F(RocksExemplars, ADamagedRowIsLeftOutAndCannotReplaceAnother) {
  write(*store_, {row(1, 10, 5), row(1, 11, 6)});
  compact([](RocksDatabase& database) {
    rocksdb::DB& db = database.db();
    ASSERT_TRUE(db.Merge({}, database.exemplars(), exemplar_key({1, 10}), "damage").ok());
    ASSERT_TRUE(db.Put({}, database.exemplars(), exemplar_key({1, 11}), "damage").ok());
  });
  EXPECT_EQ(exemplars_of(*store_, {1}), "10=5@0 damaged");
  write(*store_, {row(1, 11, 1)});
  EXPECT_EQ(exemplars_of(*store_, {1}), "10=5@0 11=1@0 ");
}

TEST_F(RocksExemplars, WithoutAnyRemovingWritesNothing) {
  write(*store_, {}, {{1}});
  compact([](RocksDatabase& database) {
    EXPECT_FALSE(database.has_exemplars());
    const std::unique_ptr<rocksdb::Iterator> first(database.db().NewIterator({}, database.exemplars()));
    first->SeekToFirst();
    EXPECT_FALSE(first->Valid());
  });
}

TEST_F(RocksExemplars, SeriesWithoutExemplarsLeaveNoTombstones) {
  write(*store_, {row(2, 10, 5), row(2, 20, 5), row(4, 10, 5), row(7, 10, 5)});
  store_.reset();
  auto database = RocksDatabase::open(path_ + "/db", {}, tiers());
  ASSERT_TRUE(database);
  const auto tombstones = [&](std::vector<ExemplarRange> removed, std::vector<ExemplarRow> added = {}) {
    StoreBatch batch;
    batch.exemplars = std::move(added);
    batch.removed_exemplars = std::move(removed);
    // Each operation on the family is an exemplar, the row that keeps the family from being empty, or one.
    const size_t others = batch.exemplars.empty() ? 0 : batch.exemplars.size() + 1;
    return static_cast<size_t>(rocks_batch_of(batch, **database, tiers()).batch().Count()) - others;
  };
  EXPECT_EQ(tombstones({{1}, {3}, {5}, {6}, {8}, {9}}), 0U);
  EXPECT_EQ(tombstones({{9}, {8}, {7}, {4}, {3}, {2}, {1}}), 3U) << "in any order";
  EXPECT_EQ(tombstones({{2, 11, 20}, {2, 0, 10}, {2, 21}}), 0U) << "between them";
  EXPECT_EQ(tombstones({{2, 20, 21}, {2, 0, 11}}), 2U);
  EXPECT_EQ(tombstones({{3}, {4}}, {row(3, 1, 1)}), 2U) << "of the batch and of the store";
  EXPECT_EQ(tombstones({{3, 2, 9}}, {row(3, 1, 1), row(3, 9, 1)}), 0U);
}

TEST_F(RocksExemplars, TheFirstWriteToAnOlderStoreAddsTheFamily) {
  store_.reset();
  {
    auto database = RocksDatabase::open(path_ + "/db", {}, tiers());
    ASSERT_TRUE(database);
    ASSERT_TRUE((*database)->db().DropColumnFamily((*database)->exemplars()).ok());
  }
  const auto has_family = [this] {
    std::vector<std::string> names;
    EXPECT_TRUE(rocksdb::DB::ListColumnFamilies({}, path_ + "/db", &names).ok());
    return std::find(names.begin(), names.end(), kExemplarFamily) != names.end();
  };
  open();
  EXPECT_EQ(exemplars_of(*store_, {1}), "");
  EXPECT_FALSE(has_family()) << "an older program may still use it";
  write(*store_, {row(1, 10, 5)}, {{2}});
  EXPECT_TRUE(has_family());
  EXPECT_EQ(exemplars_of(*store_, {1}), "10=5@0 ");
  open();
  EXPECT_EQ(exemplars_of(*store_, {1}), "10=5@0 ");
}

// The laws by which retries, replays and late exemplars change nothing.
RC_GTEST_PROP(StoreExemplars, AnyOrderOfAnyRepetitionGivesTheSame, ()) {
  auto rows = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 4), rc::gen::inRange(0, 5)));
  const auto content = [](const std::vector<std::pair<int, int>>& in_order) {
    MemoryStore store(tiers());
    const ExemplarMerge merge;
    std::vector<std::string> merged(4);
    for (const auto& [slot, value] : in_order) {
      const ExemplarRow one = row(1, slot, value, value * 7 % 3);
      write(store, {one});
      std::string& known = merged[static_cast<size_t>(slot)];
      const std::string key = exemplar_key(one.key);
      const std::string bytes = encode_exemplar_row(one);
      const rocksdb::Slice existing(known);
      std::string out;
      merge.Merge(key, known.empty() ? nullptr : &existing, bytes, &out, nullptr);
      known = out;
    }
    return exemplars_of(store, {1}) + merged[0] + merged[1] + merged[2] + merged[3];
  };
  const std::string once = content(rows);
  const auto again = rows;
  rows.insert(rows.end(), again.begin(), again.end());
  std::reverse(rows.begin(), rows.end());
  RC_ASSERT(content(rows) == once);
}

}  // namespace
}  // namespace statmill
