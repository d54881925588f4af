// The RAM of series and their names: its limit, and that it comes back when series are deleted.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "proto/istatd/parser.h"
#include "server/table/table.h"
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

}  // namespace
}  // namespace statmill
