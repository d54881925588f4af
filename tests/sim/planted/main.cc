// Runs the simulation with a planted bug. It succeeds if it finds a violation, or if one of
// our assertions fails.
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "tests/sim/seeds.h"

namespace {

extern "C" void found_by_assertion(int) { _exit(0); }

}  // namespace

int main() {
  std::signal(SIGABRT, found_by_assertion);
  const statmill::sim::Outcome outcome = statmill::sim::play_seeds(statmill::sim::seeds_of_environment());
  std::printf("%s\n", outcome.report().c_str());
  return outcome.violation ? 0 : 1;
}
