#include <gtest/gtest.h>

#include "tests/fault/fault_world.h"

namespace statmill {
namespace {

// Runs rounds on a faulty disk; every query must be answered correctly meanwhile.
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

// Checks that everything is there, now and after a power cut.
void expect_nothing_lost(FaultWorld& world) {
  EXPECT_EQ(world.problem(), "");
  ASSERT_TRUE(world.compare());
  world.cut_power_and_restore();
  const Status started = world.start();
  ASSERT_TRUE(started) << started.error().message;
  ASSERT_TRUE(world.compare());
}

class FullDisk : public testing::TestWithParam<uint64_t> {};

// With the last sizes the probe succeeds, but reopening fails.
TEST_P(FullDisk, TheServerContinuesInMemoryAndRecovers) {
  FaultWorld world({});
  ASSERT_TRUE(world.start());
  world.run(40);
  world.disk().limit_space(GetParam());
  for (int i = 0; i < 1000 && world.problem().empty(); ++i) endure(world, 1);
  EXPECT_NE(world.problem().find("No space left on device"), std::string::npos) << world.problem();
  const int64_t before = world.accepted();
  endure(world, 100);
  EXPECT_EQ(world.accepted(), before + 2000) << "samples are accepted meanwhile";
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

TEST(FullDisk, TheServerAlsoSurvivesAReadOnlyDisk) {
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

TEST(FullDisk, CanRecurManyTimes) {
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

// A start on such a disk must serve what is there, accept samples, report the problem, and recover by
// itself.
void start_on_faulty_disk_and_heal(FaultWorld& world, const std::string& why) {
  const Status started = world.start();
  ASSERT_TRUE(started) << started.error().message;
  ASSERT_TRUE(world.compare());
  world.send(1);
  EXPECT_FALSE(world.tick());
  EXPECT_NE(world.problem().find(why), std::string::npos) << world.problem();
  endure(world, 40);
  world.disk().heal();
  ASSERT_TRUE(world.resumes()) << world.problem();
  EXPECT_EQ(world.reopenings(), 1U);
  expect_nothing_lost(world);
}

class FullDiskAtTheStart : public testing::TestWithParam<uint64_t> {};

TEST_P(FullDiskAtTheStart, TheServerReadsAndRecovers) {
  FaultWorld world({});
  ASSERT_TRUE(world.start());
  world.run(40);
  world.stop();
  world.disk().limit_space(GetParam());
  start_on_faulty_disk_and_heal(world, "No space left on device");
}

INSTANTIATE_TEST_SUITE_P(BytesLeft, FullDiskAtTheStart, testing::Values(0, 100, 1000));

TEST(FullDisk, TheServerReadsFromAReadOnlyDiskAtTheStartAndRecovers) {
  FaultWorld world({});
  ASSERT_TRUE(world.start());
  world.run(40);
  world.stop();
  world.disk().make_read_only();
  start_on_faulty_disk_and_heal(world, "Read-only file system");
}

// Samples in memory were never acknowledged as durable.
TEST(FullDisk, APowerCutBeforeItHealsLosesNothingDurable) {
  FaultWorld world({});
  ASSERT_TRUE(world.start());
  world.run(40);
  world.stop();
  world.disk().make_read_only();
  ASSERT_TRUE(world.start());
  endure(world, 20);
  world.cut_power_and_restore();
  world.disk().heal();
  ASSERT_TRUE(world.start());
  ASSERT_TRUE(world.compare());
  EXPECT_EQ(world.lost(), 0);
}

TEST(FullDisk, AStartThatCannotEvenReadIsRefused) {
  FaultWorld world({});
  world.disk().make_read_only();
  EXPECT_FALSE(world.start());
  world.disk().heal();
  EXPECT_TRUE(world.start());
}

}  // namespace
}  // namespace statmill
