// Documents in both stores.
#include <gtest/gtest.h>

#include "storage/rocks/rocks_store.h"
#include "tests/storage/loaded_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

constexpr auto kDashboard = DocumentKind::kDashboard;
constexpr auto kEvent = DocumentKind::kEvent;

std::string documents_of(Store& store) {
  std::string out;
  const auto documents = store.snapshot()->documents();
  for (const DocumentRow& row : documents->rows) {
    out += std::to_string(static_cast<int>(row.key.kind)) + row.key.id + "@" +
           std::to_string(row.time.time_since_epoch().count()) + "=" + row.body + " ";
  }
  return out;
}

void write(Store& store, std::vector<DocumentRow> documents, std::vector<DocumentKey> removed) {
  StoreBatch batch;
  batch.documents = std::move(documents);
  batch.removed_documents = std::move(removed);
  EXPECT_FALSE(batch.is_empty());
  EXPECT_TRUE(store.write(batch));
}

DocumentRow row(DocumentKind kind, const std::string& id, int64_t ms, const std::string& body) {
  return {{kind, id}, Timestamp(Duration(ms)), body};
}

void fill(Store& store) {
  write(store, {row(kDashboard, "a", 1, "one"), row(kEvent, "a", 2, "two")}, {});
  write(store, {row(kDashboard, "a", 3, "three"), row(kDashboard, "b", 4, "x")}, {});
  write(store, {}, {{kDashboard, "b"}, {kDashboard, "none"}});
}

constexpr const char* kFilled = "0a@2=two 1a@3=three ";

TEST(StoreDocuments, MemoryKeepsThemUntilTheyAreRemoved) {
  MemoryStore store(tiers());
  fill(store);
  EXPECT_EQ(documents_of(store), kFilled);
}

TEST(StoreDocuments, RocksKeepsThemUntilTheyAreRemoved) {
  const TempDirectory directory;
  RocksOptions options;
  options.path = directory.path() / "data";
  options.sync = false;
  for (int start = 0; start < 2; ++start) {
    auto store = RocksStore::open(options, tiers());
    ASSERT_TRUE(store);
    if (start == 0) fill(**store);
    EXPECT_EQ(documents_of(**store), kFilled);
  }
}

}  // namespace
}  // namespace statmill
