// ReclaimThread: it calls reclaim() until nothing is left, and stops at once.
#include "server/tick/reclaim_thread.h"

#include <gtest/gtest.h>

#include "tests/support/forwarding_store.h"
#include "tests/support/memory_store.h"

namespace statmill {
namespace {

// A store whose reclaim() calls a function of the test.
class ReclaimingStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
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
  std::atomic<int> calls_{0};
};

class ReclaimThreadTest : public testing::Test {
 protected:
  MemoryStore memory_{*Tiers::parse("10s:1d")};
  ReclaimingStore store_{memory_};
  Table table_{memory_.tiers(), TableLimits{}};
  IdReuse id_reuse_{table_, memory_};
  Registry registry_;
  Log log_{LogLevel::kError};
  Counter& reclaimed_ = registry_.counter("statmill.reclaimed_chunks", "");
};

TEST_F(ReclaimThreadTest, CallsAgainWhileThereIsMore) {
  store_.on_call = [](int call, std::atomic<bool>&) { return Result<bool>(call < 5); };
  {
    const ReclaimThread thread(store_, id_reuse_, registry_, log_);
    store_.wait_for_call(6);  // the fifth call returns that nothing is left; the sixth comes later
  }
  EXPECT_EQ(reclaimed_.value(), 4U);
}

TEST_F(ReclaimThreadTest, StopsDuringACompaction) {
  store_.on_call = [](int, std::atomic<bool>& cancelled) {
    while (!cancelled) std::this_thread::yield();
    return Result<bool>(false);
  };
  const ReclaimThread thread(store_, id_reuse_, registry_, log_);
  store_.wait_for_call(1);
}

TEST_F(ReclaimThreadTest, StopsWhileItWaitsAfterAFailure) {
  store_.on_call = [](int, std::atomic<bool>&) { return Result<bool>(Error{ErrorCode::kIo, "planted"}); };
  {
    const ReclaimThread thread(store_, id_reuse_, registry_, log_);
    store_.wait_for_call(1);
  }
  EXPECT_EQ(reclaimed_.value(), 0U);
}

}  // namespace
}  // namespace statmill
