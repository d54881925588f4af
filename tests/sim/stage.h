// Stage: what all actors of a simulation share: virtual time, chance, and the trail of what has happened.
//
// One thread, one seed: whatever happens is an event of the schedule, and events of one moment keep the order
// in which they were made. So the same seed plays the same world again.
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

// Where every decision of a simulation comes from. Only what the standard fixes to the bit is used.
class Chance {
 public:
  explicit Chance(uint64_t seed) : random_(seed) {}

  uint64_t bits() { return random_(); }
  uint64_t below(uint64_t limit) { return random_() % limit; }
  uint64_t between(uint64_t low, uint64_t high) { return low + below(high - low + 1); }  // both included
  bool one_in(uint64_t n) { return below(n) == 0; }
  Duration duration(Duration low, Duration high) {
    return Duration(static_cast<Duration::rep>(
        between(static_cast<uint64_t>(low.count()), static_cast<uint64_t>(high.count()))));
  }

 private:
  std::mt19937_64 random_;
};

// Steady time goes from event to event. An event that has lost its sense must find that out itself.
class Schedule {
 public:
  SteadyTime now() const { return now_; }
  void at(SteadyTime time, std::function<void()> what) { events_.emplace(time, std::move(what)); }
  void after(Duration delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }
  // Plays the next event up to `until`; false: there is none, and it is `until` now.
  bool play(SteadyTime until);
  // So much time passes in which nothing happens; whatever was to come comes after it.
  void skip(Duration time);

 private:
  SteadyTime now_{std::chrono::hours(1)};
  std::multimap<SteadyTime, std::function<void()>> events_;
};

struct Stage {
  explicit Stage(uint64_t seed) : chance(seed) {}

  void note(const std::string& what);
  // What must not happen has happened; the first time counts.
  void violated(const std::string& what);

  Schedule schedule;
  Chance chance;
  std::optional<std::string> violation;
  std::deque<std::string> trail;  // the last events
};

}  // namespace statmill::sim
