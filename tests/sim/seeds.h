// Seeds: runs one world per seed until one of them shows a violation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace statmill::sim {

struct Seeds {
  uint64_t first = 1;
  uint64_t last = 1;  // inclusive
};

// From SIM_SEED, SIM_SEEDS and SM_TIER; otherwise the seeds of every build.
Seeds seeds_of_environment();

struct Outcome {
  uint64_t seeds = 0;  // that were run
  uint64_t lines = 0;  // in all worlds
  std::optional<std::string> violation = {};
  uint64_t seed = 0;  // of the violation
  std::string trail = {};

  std::string report() const;
};

Outcome play_seeds(const Seeds& seeds);

}  // namespace statmill::sim
