// The thread that has expired space given back: it goes on by itself, and it ends at once when told.
#include "server/tick/reclaim_thread.h"

#include <gtest/gtest.h>

#include "tests/support/memory_store.h"

namespace statmill {
namespace {

// A store whose reclaim() does as the test says, and tells of every call.
class ReclaimingStore final : public Store {
 public:
  explicit ReclaimingStore(const Tiers& tiers) : store_(tiers) {}
  const Tiers& tiers() const override { return store_.tiers(); }
  Status write(const StoreBatch& batch) override { return store_.write(batch); }
  std::unique_ptr<StoreSnapshot> snapshot() override { return store_.snapshot(); }
  Status load(const LoadVisitor& visitor) override { return store_.load(visitor); }
  Status expire(TierNo tier, ChunkNo chunk) override { return store_.expire(tier, chunk); }
  Expiry& expiry() override { return store_.expiry(); }
  StoreStats stats() override { return store_.stats(); }
  Result<bool> reclaim(std::atomic<bool>& cancelled) override {
    const int call = ++calls_;
    calls_.notify_all();
    return on_call(call, cancelled);
  }
  void wait_for_call(int n) const {
    for (int calls = calls_; calls < n; calls = calls_) calls_.wait(calls);
  }

  std::function<Result<bool>(int call, std::atomic<bool>& cancelled)> on_call;

 private:
  MemoryStore store_;
  std::atomic<int> calls_{0};
};

class ReclaimThreadTest : public testing::Test {
 protected:
  ReclaimingStore store_{*Tiers::parse("10s:1d")};
  Registry registry_;
  Log log_{LogLevel::kError};
  Counter& reclaimed_ = registry_.counter("statmill_reclaimed_chunks_total", "");
};

TEST_F(ReclaimThreadTest, GoesOnWhileThereIsMore) {
  store_.on_call = [](int call, std::atomic<bool>&) { return Result<bool>(call < 5); };
  {
    const ReclaimThread thread(store_, registry_, log_);
    store_.wait_for_call(6);  // the fifth says that nothing is left; it looks again later
  }
  EXPECT_EQ(reclaimed_.value(), 4U);
}

TEST_F(ReclaimThreadTest, EndsAmidACompaction) {
  store_.on_call = [](int, std::atomic<bool>& cancelled) {
    while (!cancelled) std::this_thread::yield();
    return Result<bool>(false);
  };
  const ReclaimThread thread(store_, registry_, log_);
  store_.wait_for_call(1);
}

TEST_F(ReclaimThreadTest, AFailureIsNotTheEnd) {
  store_.on_call = [](int, std::atomic<bool>&) { return Result<bool>(Error{ErrorCode::kIo, "planted"}); };
  {
    const ReclaimThread thread(store_, registry_, log_);
    store_.wait_for_call(1);
  }
  EXPECT_EQ(reclaimed_.value(), 0U);
}

}  // namespace
}  // namespace statmill
