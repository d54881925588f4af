// Stage: what all actors of a simulation share: virtual time, randomness, and the log of the last events.
//
// There is one thread and one seed: everything that happens is an event of the schedule, and events at the
// same time keep the order in which they were added. So the same seed always runs the same world.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "base/clock.h"

namespace statmill::sim {

// The source of every random decision. It uses only functions whose results the standard defines exactly.
class Chance {
 public:
  explicit Chance(uint64_t seed) : random_(seed) {}

  uint64_t bits() { return random_(); }
  uint64_t below(uint64_t limit) { return random_() % limit; }
  uint64_t between(uint64_t low, uint64_t high) { return low + below(high - low + 1); }  // both inclusive
  bool one_in(uint64_t n) { return below(n) == 0; }
  Duration duration(Duration low, Duration high) {
    return Duration(static_cast<Duration::rep>(
        between(static_cast<uint64_t>(low.count()), static_cast<uint64_t>(high.count()))));
  }

 private:
  std::mt19937_64 random_;
};

// Steady time advances from event to event. An event must check by itself whether it still applies.
class Schedule {
 public:
  SteadyTime now() const { return now_; }
  void at(SteadyTime time, std::function<void()> what) { events_.emplace(time, std::move(what)); }
  void after(Duration delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }
  // Runs the next event up to `until`. Returns false and sets the time to `until` if there is none.
  bool play(SteadyTime until);
  // Advances the time without running events: all of them are postponed.
  void skip(Duration time);

 private:
  SteadyTime now_{std::chrono::hours(1)};
  std::multimap<SteadyTime, std::function<void()>> events_;
};

struct Stage {
  explicit Stage(uint64_t seed) : chance(seed) {}

  void note(const std::string& what);
  // Records that an invariant is violated; only the first violation is kept.
  void report_violation(const std::string& what);

  Schedule schedule;
  Chance chance;
  std::optional<std::string> violation;
  std::deque<std::string> trail;  // the last events
};

}  // namespace statmill::sim
