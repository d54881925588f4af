#include "tests/sim/seeds.h"

#include <cstdlib>
#include <string_view>

#include "tests/sim/world.h"
#include "tests/support/sanitized.h"

namespace statmill::sim {
namespace {

// Under sanitizers each seed takes about twenty times as long.
constexpr uint64_t kSeeds = kIsSanitized ? 60 : 2000;
constexpr uint64_t kNightly = 50;

}  // namespace

Seeds seeds_of_environment() {
  if (const char* seed = std::getenv("SIM_SEED")) {
    const uint64_t number = std::strtoull(seed, nullptr, 10);
    return {number, number};
  }
  if (const char* seeds = std::getenv("SIM_SEEDS")) return {1, std::strtoull(seeds, nullptr, 10)};
  const char* tier = std::getenv("SM_TIER");
  const bool is_nightly = tier != nullptr && std::string_view(tier) == "nightly";
  return {1, is_nightly ? kSeeds * kNightly : kSeeds};
}

std::string Outcome::report() const {
  if (!violation) return std::to_string(seeds) + " seeds, " + std::to_string(lines) + " lines, no violation";
  return "SIM_SEED=" + std::to_string(seed) + ": " + *violation + "\n" + trail;
}

Outcome play_seeds(const Seeds& seeds) {
  Outcome outcome;
  for (uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    World world(seed);
    world.play();
    ++outcome.seeds;
    outcome.lines += world.lines();
    if (!world.stage().violation) continue;
    outcome.violation = world.stage().violation;
    outcome.seed = seed;
    for (const std::string& line : world.stage().trail) outcome.trail += line + "\n";
    break;
  }
  return outcome;
}

}  // namespace statmill::sim
