// Runs the simulation with a planted bug. It succeeds if it finds a violation, or if one of
// our assertions fails. It stops at the first one, so it may play more seeds than the test of the sound
// program: agents_expire_by_the_newest_batch needs a server and an agent whose clocks are wrong by the same
// time.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>

#include "tests/sim/seeds.h"

namespace {

constexpr uint64_t kSeedsFactor = 5;

extern "C" void found_by_assertion(int) { _exit(0); }

}  // namespace

int main() {
  std::signal(SIGABRT, found_by_assertion);
  statmill::sim::Seeds seeds = statmill::sim::seeds_of_environment();
  if (seeds.first != seeds.last) seeds.last *= kSeedsFactor;
  const statmill::sim::Outcome outcome = statmill::sim::play_seeds(seeds);
  std::printf("%s\n", outcome.report().c_str());
  return outcome.violation ? 0 : 1;
}
