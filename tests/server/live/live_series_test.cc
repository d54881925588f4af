// A live series reads all samples of its newest slots, wherever they lie: against a model.
#include "server/live/live_series.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/server/live/live_world.h"

namespace statmill {
namespace {

constexpr size_t kSlots = 7;

class LiveSeriesTest : public testing::Test {
 protected:
  SlotColumns read(LiveSeries& series) {
    SlotColumns columns(world_.now_s / 10 + 1 - static_cast<Slot>(kSlots), kSlots,
                        {.extremes = true, .histograms = true});
    const auto kind = series.read(world_.table, world_.store, columns);
    EXPECT_TRUE(kind) << kind.error().message;
    return columns;
  }

  LiveWorld world_;
};

TEST_F(LiveSeriesTest, AgreesWithAModelBetweenAllSteps) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    LiveWorld world;
    std::mt19937 random(seed);
    std::map<Slot, std::pair<uint64_t, int64_t>> model;  // count and sum by slot
    LiveSeries gauge("x");
    LiveSeries distribution("d");
    const auto compare = [&] {
      for (LiveSeries* series : {&gauge, &distribution}) {
        SlotColumns columns(world.now_s / 10 + 1 - static_cast<Slot>(kSlots), kSlots,
                            {.extremes = true, .histograms = true});
        ASSERT_TRUE(series->read(world.table, world.store, columns));
        for (size_t i = 0; i < kSlots; ++i) {
          const Slot slot = columns.begin + static_cast<Slot>(i);
          const auto at = model.find(slot);
          const auto [count, sum] = at == model.end() ? std::pair<uint64_t, int64_t>() : at->second;
          ASSERT_EQ(columns.bucket_at(i).count(), count) << "seed " << seed;
          if (count == 0) continue;
          ASSERT_EQ(columns.bucket_at(i).sum(), static_cast<double>(sum)) << "seed " << seed;
        }
        if (series != &distribution) continue;
        for (const SlotHistogram& h : columns.histograms)
          ASSERT_EQ(h.histogram.count(), model[h.slot].first) << "seed " << seed;
      }
    };
    world.store.after_write = compare;
    for (int step = 0; step < 300 && !HasFatalFailure(); ++step) {
      switch (random() % 8) {
        case 0:
          world.tick();
          break;
        case 1:
          world.flush();
          break;
        case 2:
          world.now_s += random() % 2 == 0 ? 1 : 10;
          break;
        case 3:
          if (random() % 10 == 0) world.now_s += 3000;  // beyond what was read ahead
          break;
        default: {
          const int64_t at_s = world.now_s - static_cast<int64_t>(random() % 60);
          const auto value = static_cast<int64_t>(random() % 100);
          const std::string sample = std::to_string(at_s) + " " + std::to_string(value) + "\n";
          world.send("x " + sample + "%d " + sample);
          auto& [count, sum] = model[at_s / 10];
          ++count;
          sum += value;
        }
      }
      compare();
    }
    if (HasFatalFailure()) return;
  }
}

TEST_F(LiveSeriesTest, TheStoreIsReadOnlyAfterFlushes) {
  LiveSeries series("x");
  world_.send("x 1\n");
  read(series);
  const int before = world_.store.snapshots;
  for (int i = 0; i < 60; ++i) {
    ++world_.now_s;
    world_.send("x 1\n");
    read(series);
  }
  EXPECT_EQ(world_.store.snapshots, before);
  world_.flush();
  const int flushed = world_.store.snapshots;
  read(series);
  read(series);
  EXPECT_EQ(world_.store.snapshots, flushed + 1);
}

TEST_F(LiveSeriesTest, FollowsSeriesThatComeAndGo) {
  LiveSeries series("x");
  EXPECT_EQ(read(series).present.count(), 0U);
  world_.send("x 1\n");
  EXPECT_EQ(read(series).present.count(), 1U);
  world_.flush();
  const std::string_view name = "x";
  world_.change({.deletes = std::span(&name, 1), .slots = std::nullopt, .renames = {}});
  EXPECT_EQ(read(series).present.count(), 0U);
  world_.send("x 5\n");
  const SlotColumns again = read(series);
  EXPECT_EQ(again.bucket_at(kSlots - 1).sum(), 5) << "not with the samples of the deleted one";
}

}  // namespace
}  // namespace statmill
