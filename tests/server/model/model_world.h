// World: a server without sockets and threads over a store in memory, beside the model of what it should
// answer.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "server/query/engine.h"
#include "server/table/table.h"
#include "server/tick/ticker.h"
#include "tests/server/model/model.h"
#include "tests/support/memory_store.h"

namespace statmill {

class World {
 public:
  static constexpr int64_t kDayS = 86400;

  // The same seed gives the same world. `retention`: "TIERS|RULE|RULE".
  World(uint64_t seed, const std::string& retention);
  void step();     // something happens
  void compare();  // fails the test where server and model differ

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  // What the clocks show: the wall clock may be wrong, the others are not.
  int64_t shown_s() const { return wall_s_ + ahead_s_; }
  TickTime now() const { return {from_unix_seconds(shown_s()), SteadyTime(std::chrono::seconds(wall_s_))}; }
  // Of the class that is kept shortest.
  int64_t finest_s() const { return retention_.shortest(RetentionClasses().set()).finest().retention_s; }
  const Tiers& tiers_of(const std::string& name) const { return retention_.tiers(retention_.class_of(name)); }

  void start();
  void tick();
  void advance(int64_t seconds);
  // Events wait in RAM at most ten minutes in real life; a jump over days comes after a flush.
  void jump_days();
  // The wall clock steps, and is set right before that would be believed.
  void wrong_clock();
  // The machine is off for days.
  void stop_for_days();
  // The process dies: what no tick has committed is gone, the rest is there.
  void crash();
  void fail_a_write();
  // A line has but one form for each of these; what a batch may hold is wider.
  static void fill(const model::Sample& s, Batch& batch);
  int64_t age(bool event);
  void send();
  void happened(std::function<void(model::Model&)> what);
  // Requires: there is a series.
  std::string any_name();
  // Some series are deleted, lose a range or are renamed. In RAM that has happened even when it fails.
  // Requires: there is a series.
  Status change();
  static Status done(const Result<ChangedSeries>& changed) {
    return changed ? Status::ok() : Status(changed.error());
  }
  // What is past the retention of its series may be gone, or not yet.
  bool keeps_no_longer(const std::string& a, const std::string& b) const;

  // Exactly the model's names are there.
  void compare_names();
  int64_t retention_of(const std::string& name, int64_t tier_s) const;
  // One series, or all of them by the pattern "*".
  void compare_series(const std::string& name, int64_t step);
  // All distributions together, which is every bucket of every histogram.
  void compare_histograms(int64_t step);
  static void compare_histogram(const SeriesAnswer& got, size_t slot, std::vector<int64_t> values);
  void compare_answer(const QueryAnswer& answer, const SeriesAnswer& series);

  std::mt19937_64 random_;
  const Retention retention_;
  const Tiers tiers_;
  const int64_t longest_s_;
  MemoryStore store_;
  Registry registry_;
  Health health_;
  Log log_lines_{LogLevel::kError};
  int64_t wall_s_ = 1'700'000'000;  // the true time
  int64_t ahead_s_ = 0;             // of the wall clock
  int64_t lag_s_ = 0;               // what is past its retention may be there for so much longer
  std::unique_ptr<Table> table_;
  std::unique_ptr<Ticker> ticker_;
  std::unique_ptr<QueryEngine> engine_;
  std::vector<std::function<void(model::Model&)>> log_;  // what has happened
  size_t committed_ = 0;
  model::Model model_;
};

}  // namespace statmill
