// Exactly-once delivery, simulated: what an agent has made durable counts once at each server, whatever goes
// wrong between, before and behind them.
//
// SIM_SEED=n plays one seed again; SIM_SEEDS=n plays the first n; SM_TIER=nightly plays fifty times as many.
#include <gtest/gtest.h>

#include "tests/sim/seeds.h"

namespace statmill::sim {
namespace {

TEST(Simulation, WhatIsDurableCountsOnceAtEachServer) {
  const Outcome outcome = play_seeds(seeds_of_environment());
  EXPECT_FALSE(outcome.violation) << outcome.report();
  EXPECT_GT(outcome.lines, outcome.seeds);  // it was about something
  RecordProperty("seeds", static_cast<int>(outcome.seeds));
}

}  // namespace
}  // namespace statmill::sim
