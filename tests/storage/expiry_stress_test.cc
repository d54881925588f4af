#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "storage/expiry.h"

namespace statmill {
namespace {

constexpr SeriesId kSeries = 600'000;  // over three pages

// As at a start: first all classes, then the cutoffs, including that of the default class.
TEST(ExpiryStress, AClassIsKnownBeforeAnyCutoff) {
  for (int round = 0; round < 20; ++round) {
    const auto expiry = std::make_unique<Expiry>();
    std::atomic<bool> ready{false};
    std::atomic<bool> done{false};
    std::thread compaction([&] {
      ready = true;
      for (SeriesId id = 0; !done; id = (id + 7919) % kSeries)
        ASSERT_FALSE(expiry->is_expired({0, 5, id})) << id;
    });
    while (!ready) std::this_thread::yield();
    for (SeriesId id = 0; id < kSeries; ++id) expiry->set_class(id, 1);
    expiry->set_cutoff(0, 2, 3);
    expiry->set_cutoff(0, kDefaultRetention, 10);
    for (ChunkNo chunk = 0; chunk < 5; ++chunk) expiry->set_cutoff(0, 1, chunk);
    done = true;
    compaction.join();
    EXPECT_TRUE(expiry->is_expired({0, 3, 1}));
  }
}

}  // namespace
}  // namespace statmill
