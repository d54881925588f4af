// Simulates exactly-once delivery: whatever an agent has made durable counts once at each
// server, whatever fails.
//
// SIM_SEED=n runs one seed; SIM_SEEDS=n runs the first n; SM_TIER=nightly runs fifty times as many.
#include <gtest/gtest.h>

#include "tests/sim/seeds.h"

namespace statmill::sim {
namespace {

TEST(Simulation, DurableLinesCountOnceAtEachServer) {
  const Outcome outcome = play_seeds(seeds_of_environment());
  EXPECT_FALSE(outcome.violation) << outcome.report();
  EXPECT_GT(outcome.lines, outcome.seeds);  // the worlds did something
  RecordProperty("seeds", static_cast<int>(outcome.seeds));
}

}  // namespace
}  // namespace statmill::sim
