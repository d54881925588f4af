// Seeds: many worlds, one after the other, until one of them shows a violation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace statmill::sim {

struct Seeds {
  uint64_t first = 1;
  uint64_t last = 1;  // included
};

// By SIM_SEED, SIM_SEEDS and SM_TIER; else those of every build.
Seeds seeds_of_environment();

struct Outcome {
  uint64_t seeds = 0;  // played
  uint64_t lines = 0;  // in all of them
  std::optional<std::string> violation = {};
  uint64_t seed = 0;  // of the violation
  std::string trail = {};

  std::string report() const;
};

Outcome play_seeds(const Seeds& seeds);

}  // namespace statmill::sim
