// A disk that is full or read-only: the server goes on in memory up to its limit, answers reads, says what is
// wrong, and resumes by itself.
#include <gtest/gtest.h>

#include "tests/fault/fault_world.h"

namespace statmill {
namespace {

// So many rounds on a disk in trouble: every query is answered rightly all the while.
void endure(FaultWorld& world, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    world.send(20);
    static_cast<void>(i % 9 == 0 ? world.flush_all() : world.tick());
    world.advance(1);
    if (i % 5 == 0) {
      const Status read = world.compare();
      ASSERT_TRUE(read) << read.error().message;
    }
  }
}

// All is there: now, and after the power has gone.
void expect_nothing_lost(FaultWorld& world) {
  EXPECT_EQ(world.problem(), "");
  ASSERT_TRUE(world.compare());
  world.cut_power_and_restore();
  const Status started = world.start();
  ASSERT_TRUE(started) << started.error().message;
  ASSERT_TRUE(world.compare());
}

class FullDisk : public testing::TestWithParam<uint64_t> {};

// The last sizes let the probe pass and not the reopening.
TEST_P(FullDisk, IsBorneInMemoryAndLeftBehind) {
  FaultWorld world({});
  ASSERT_TRUE(world.start());
  world.run(40);
  world.disk().limit_space(GetParam());
  for (int i = 0; i < 1000 && world.problem().empty(); ++i) endure(world, 1);
  EXPECT_NE(world.problem().find("No space left on device"), std::string::npos) << world.problem();
  const int64_t before = world.accepted();
  endure(world, 100);
  EXPECT_EQ(world.accepted(), before + 2000) << "samples are taken all the while";
  world.disk().heal();
  ASSERT_TRUE(world.resumes()) << world.problem();
  EXPECT_GE(world.reopenings(), 1U);
  expect_nothing_lost(world);
}

INSTANTIATE_TEST_SUITE_P(BytesLeft, FullDisk,
                         testing::Values(0, 1000, 10'000, 50'000, 66'000, 70'000, 80'000, 100'000));

TEST(FullDisk, BeyondTheMemoryLimitSamplesAreRefusedAndCounted) {
  FaultWorldOptions options;
  options.pending_bytes = 20'000;
  FaultWorld world(options);
  ASSERT_TRUE(world.start());
  world.run(10);
  world.disk().limit_space(0);
  endure(world, 200);
  EXPECT_GT(world.refused_for_memory(), 0U);
  world.disk().heal();
  ASSERT_TRUE(world.resumes()) << world.problem();
  const uint64_t refused = world.refused_for_memory();
  endure(world, 10);
  EXPECT_EQ(world.refused_for_memory(), refused) << "memory is free again";
  expect_nothing_lost(world);
}

TEST(FullDisk, AReadOnlyDiskIsBorneTheSame) {
  FaultWorld world({});
  ASSERT_TRUE(world.start());
  world.run(40);
  world.disk().make_read_only();
  endure(world, 100);
  EXPECT_NE(world.problem().find("Read-only file system"), std::string::npos) << world.problem();
  world.disk().heal();
  ASSERT_TRUE(world.resumes()) << world.problem();
  expect_nothing_lost(world);
}

TEST(FullDisk, ComesAndGoesManyTimes) {
  FaultWorld world({});
  ASSERT_TRUE(world.start());
  for (int i = 0; i < 20; ++i) {
    world.disk().limit_space(world.random()() % 100'000);
    endure(world, 1 + static_cast<int>(world.random()() % 40));
    world.disk().heal();
    ASSERT_TRUE(world.resumes()) << world.problem();
  }
  expect_nothing_lost(world);
}

}  // namespace
}  // namespace statmill
