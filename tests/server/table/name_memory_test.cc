// The RAM of series and their names: its limit, and that it comes back when series are deleted.
#include <gtest/gtest.h>
#include <malloc.h>

#include <set>
#include <string>
#include <vector>

#include "proto/istatd/parser.h"
#include "server/table/table.h"
#include "tests/support/sanitized.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

class NameMemoryTest : public testing::Test {
 protected:
  explicit NameMemoryTest(TableLimits limits = {}) : table_(*Tiers::parse("10s:10d"), limits) {}

  // Applies the lines and returns how many samples were accepted.
  uint64_t send(const std::string& lines) {
    Batch batch;
    parse_istatd_lines(lines, batch);
    const uint64_t accepted = table_.apply(batch, from_unix_seconds(kNow));
    refused_ = batch.refused[static_cast<size_t>(Refusal::kNameLimit)];
    EXPECT_EQ(accepted + refused_, batch.received);
    return accepted;
  }
  void collect() {
    const int parity = table_.end_epoch().parity;
    for (int shard = 0; shard < kShardCount; ++shard)
      static_cast<void>(table_.collect(static_cast<ShardNo>(shard), parity, nullptr));
  }
  // Returns how many of the series existed.
  size_t remove(const std::vector<std::string>& names) {
    collect();
    const std::vector<std::string_view> gone(names.begin(), names.end());
    return table_.end_epoch({.deletes = gone, .slots = {}, .renames = {}}).changed.deleted.size();
  }
  std::multiset<std::string> names() const {
    std::multiset<std::string> out;
    table_.search(*Glob::parse("*"), [&](std::string_view name) { return out.emplace(name) != out.end(); });
    return out;
  }

  Table table_;
  uint64_t refused_ = 0;  // by the limit of bytes, of the last lines
};

class NameBytesTest : public NameMemoryTest {
 protected:
  NameBytesTest() : NameMemoryTest({.name_bytes = kLimit}) {}

  // Sends 100 names at a time until one is refused. Returns the number of series.
  size_t fill(const std::string& prefix) {
    refused_ = 0;
    for (int i = 0; refused_ == 0; i += 100) {
      std::string lines;
      for (int k = i; k < i + 100; ++k)
        lines += prefix + "." + std::to_string(k) + std::string(100, 'x') + " 1\n";
      send(lines);
      if (i % 1000 == 0) table_.index_names(1000);
    }
    return table_.series_count();
  }
  void remove_all() {
    const std::multiset<std::string> all = names();
    EXPECT_EQ(remove({all.begin(), all.end()}), all.size());
  }
  static constexpr size_t kLimit = 4 << 20;
};

TEST_F(NameBytesTest, RefusesNewNamesOverTheLimit) {
  const size_t count = fill("a");
  EXPECT_GT(count, kLimit / 1000) << "a series with such a name has 256 bytes, and some in the index";
  EXPECT_EQ(send("a.7" + std::string(100, 'x') + " 1\n"), 1U) << "a known name";
  table_.index_names(count);
  EXPECT_LE(table_.name_bytes(), kLimit + kLimit / 4) << "what the names need in the index was estimated";
}

TEST_F(NameBytesTest, DeletionMakesRoom) {
  const size_t count = fill("a");
  remove_all();
  EXPECT_LT(table_.name_bytes(), kLimit * 2 / 3) << "only the index keeps its memory";
  EXPECT_EQ(send("b 1\n"), 1U);
  EXPECT_GT(fill("b"), count / 3);
}

// Memory in use by the program, as its allocator counts it.
size_t heap_bytes() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

class ChurnTest : public NameMemoryTest {
 protected:
  // Creates new names and deletes them again, until a new index has replaced the one with their names.
  void churn(int round) {
    constexpr size_t kNames = 200'000;
    std::vector<std::string> churned;
    std::string lines;
    for (size_t i = 0; i < kNames; ++i) {
      churned.push_back("churn.r" + std::to_string(round) + ".pod" + std::to_string(i) + ".cpu.busy;dc=a");
      lines += churned.back() + " 1\n";
    }
    ASSERT_EQ(send(lines), kNames);
    while (table_.unindexed_count() > 0) table_.index_names(50'000);
    ASSERT_EQ(remove(churned), kNames);
    const uint64_t renewals = table_.index_renewals();
    for (int i = 0; table_.index_renewals() == renewals; ++i) {
      ASSERT_LT(i, 1000);
      table_.renew_index(20'000);
    }
  }
};

TEST_F(ChurnTest, RamOfDeletedSeriesComesBack) {
  send("kept.a 1\nkept.b 1\n");
  const size_t before = heap_bytes();
  churn(0);
  const size_t heap = heap_bytes() - before;
  const size_t counted = table_.name_bytes();
  for (int round = 1; round <= (kIsSanitized ? 1 : 5); ++round) churn(round);
  EXPECT_LE(heap_bytes() - before, heap + heap / 5);
  EXPECT_LE(table_.name_bytes(), counted + counted / 5);
  EXPECT_EQ(names(), (std::multiset<std::string>{"kept.a", "kept.b"}));
}

TEST_F(ChurnTest, NamesMayComeAndGoWhileTheIndexIsRenewed) {
  std::multiset<std::string> want;
  std::vector<std::string> doomed;
  std::string lines;
  for (size_t i = 0; i < 3 * Table::kRemovedMax; ++i) {
    const std::string name = (i % 3 == 0 ? "kept." : "gone.") + std::to_string(i);
    lines += name + " 1\n";
    if (i % 3 == 0) want.insert(name);
    if (i % 3 != 0) doomed.push_back(name);
  }
  send(lines);
  table_.index_names(doomed.size() + want.size());
  ASSERT_EQ(remove(doomed), doomed.size());
  table_.renew_index(1024);
  ASSERT_EQ(table_.index_renewals(), 0U) << "it needs many more calls";
  // Series before and after the place of the renewal go, and others get their memory.
  ASSERT_EQ(remove({"kept.0", "kept.3", "kept.45000"}), 3U);
  for (const char* name : {"kept.0", "kept.3", "kept.45000"}) want.erase(name);
  send("new.1 1\nnew.2 1\nnew.3 1\nnew.4 1\n");
  for (const char* name : {"new.1", "new.2", "new.3", "new.4"}) want.insert(name);
  table_.index_names(3);
  for (int i = 0; table_.index_renewals() == 0; ++i) {
    ASSERT_LT(i, 1000);
    table_.renew_index(1024);
  }
  // Each row is one of the new index.
  ASSERT_EQ(remove({"new.1", "kept.6", "kept.45003"}), 3U);
  for (const char* name : {"new.1", "kept.6", "kept.45003"}) want.erase(name);
  EXPECT_EQ(names(), want);
}

}  // namespace
}  // namespace statmill
