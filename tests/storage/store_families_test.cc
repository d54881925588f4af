// Families in both stores.
#include <gtest/gtest.h>

#include "storage/rocks/rocks_store.h"
#include "tests/storage/loaded_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

std::string families_of(Store& store) {
  std::string out;
  const auto families = store.snapshot()->families();
  for (const FamilyRow& row : families->rows) {
    out +=
        row.key.path + std::to_string(static_cast<int>(row.key.kind)) + "=" + row.unit + "/" + row.help + " ";
  }
  return out;
}

void write(Store& store, std::vector<FamilyRow> families, std::vector<FamilyKey> removed) {
  StoreBatch batch;
  batch.families = std::move(families);
  batch.removed_families = std::move(removed);
  EXPECT_FALSE(batch.is_empty());
  EXPECT_TRUE(store.write(batch));
}

void fill(Store& store) {
  write(store, {{{"a", Kind::kGauge}, "s", "one"}, {{"a", Kind::kEvent}, "", "two"}}, {});
  write(store, {{{"a", Kind::kGauge}, "ms", "three"}, {{"b", Kind::kGauge}, "s", "x"}}, {});
  write(store, {}, {{"b", Kind::kGauge}, {"none", Kind::kGauge}});
}

constexpr const char* kFilled = "a0=ms/three a1=/two ";

TEST(StoreFamilies, MemoryKeepsThemUntilTheyAreRemoved) {
  MemoryStore store(tiers());
  fill(store);
  EXPECT_EQ(families_of(store), kFilled);
}

TEST(StoreFamilies, RocksKeepsThemUntilTheyAreRemoved) {
  const TempDirectory directory;
  RocksOptions options;
  options.path = directory.path() / "data";
  options.sync = false;
  for (int start = 0; start < 2; ++start) {
    auto store = RocksStore::open(options, tiers());
    ASSERT_TRUE(store);
    if (start == 0) fill(**store);
    EXPECT_EQ(families_of(**store), kFilled);
  }
}

}  // namespace
}  // namespace statmill
