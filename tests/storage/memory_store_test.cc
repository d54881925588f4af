#include "tests/support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/storage/loaded_store.h"

namespace statmill {
namespace {

TEST(MemoryStore, AFailedWriteMayHaveBeenApplied) {
  MemoryStore store(tiers());
  store.fail_next_write({ErrorCode::kIo, "sync"}, MemoryStore::Effect::kWhole);
  StoreBatch batch;
  batch.tick = 1;
  batch.journal.push_back({1, "row"});
  EXPECT_FALSE(store.write(batch));
  EXPECT_EQ(loaded(store), (std::vector<std::string>{"shard 255 0 ", "row 1 row"}));
  EXPECT_TRUE(store.write(batch));
}

TEST(MemoryStore, AFailedWriteChangesNothingAndTheNextSucceeds) {
  MemoryStore store(tiers());
  store.fail_next_write({ErrorCode::kIo, "disk full"});
  EXPECT_TRUE(store.write({}));
  StoreBatch batch;
  batch.journal.push_back({1, "row"});
  const Status failed = store.write(batch);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "disk full");
  EXPECT_EQ(loaded(store), std::vector<std::string>{"shard 255 0 "});
  EXPECT_TRUE(store.write(batch));
  EXPECT_EQ(loaded(store), (std::vector<std::string>{"shard 255 0 ", "row 1 row"}));
}

}  // namespace
}  // namespace statmill
