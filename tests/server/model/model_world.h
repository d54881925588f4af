// World: a server without sockets and threads, with a store in memory; and the model of what it should
// answer.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "server/query/engine.h"
#include "server/query/read/column_cache.h"
#include "server/table/table.h"
#include "server/tick/id_reuse.h"
#include "server/tick/ticker.h"
#include "tests/server/model/model.h"
#include "tests/support/memory_store.h"

namespace statmill {

class World {
 public:
  static constexpr int64_t kDayS = 86400;

  // The same seed makes the same sequence of events. `retention` is "TIERS|RULE|RULE". After "#" may come
  // another one that takes turns with it at starts, and in between if only times differ. Without tiers it has
  // the same. The coarsest tiers must not differ.
  World(uint64_t seed, const std::string& retention);
  void step();     // makes a random event
  void compare();  // fails the test if the server and the model differ
  // How many answers came from the detail tier.
  uint64_t detailed_answers() const { return detailed_answers_; }
  // How many series were deleted because their data had expired.
  uint64_t expired() const { return expired_; }
  // How many series got the id of a deleted one.
  uint64_t ids_reused() const {
    return ids_reused_ + table_->series_created() + ids_at_start_ - table_->ids_end();
  }

 private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  // The time of the wall clock, which may be wrong.
  int64_t shown_s() const { return wall_s_ + ahead_s_; }
  TickTime now() const { return {from_unix_seconds(shown_s()), SteadyTime(std::chrono::seconds(wall_s_))}; }
  // The shortest retention of the finest tier in any class.
  int64_t finest_s() const { return retention_.shortest(RetentionClasses().set()).finest().retention_s; }
  const Tiers& tiers_of(const std::string& name) const { return retention_.tiers(retention_.class_of(name)); }

  void start();
  void tick();
  void flush();
  void advance(int64_t seconds);
  // Removes from the model the series that the server has deleted because all their data had expired. Fails
  // the test if a tier may still have some.
  void note_expired();
  // Lets up to a day and a half pass. Flushes first, because real events wait in RAM for ten minutes at most.
  void jump_days();
  // Steps the wall clock, and corrects it before the ClockGuard would trust it.
  void wrong_clock();
  // Turns the machine off for days.
  void stop_for_days();
  // Kills the process: what no tick has committed is lost.
  void crash();
  // Replaces the retention while the server runs.
  void change_retention();
  void fail_a_write();
  // Adds the sample to the batch. Sets the kind and cells of a distribution directly, because a batch can
  // have more than a line.
  static void fill(const model::Sample& s, Batch& batch);
  // Returns a random age of a sample in seconds; negative if it is in the future.
  int64_t age(bool is_amount);
  void send();
  // Sends unit and help of a family, which may have no series.
  void send_family();
  // Applies an event to the model and records it.
  void happened(std::function<void(model::Model&)> what);
  // Requires: there is a series.
  std::string any_name();
  // Deletes, erases or renames some series. After an error the change is still made in RAM.
  // Requires: there is a series.
  Status change();
  static Status done(const Result<ChangedSeries>& changed) {
    return changed ? Status::ok() : Status(changed.error());
  }
  // Returns whether no tier of a's class is kept longer than b's. Only then may b be renamed to a: data past
  // b's retention may already be dropped.
  bool keeps_no_longer(const std::string& a, const std::string& b) const;

  // Checks that the server has exactly the model's names.
  void compare_names();
  void compare_families();
  int64_t retention_of(const std::string& name, int64_t tier_s) const;
  // Uses the other retention from now on.
  void swap_retention();
  // Older samples of the tier may be gone, since a retention before this one did not cover them.
  int64_t lost_before_s(const std::string& name, TierNo tier) const;
  // Returns true if the finest tier may lack the other samples of its time when it is flushed.
  bool may_be_alone(const model::Sample& s) const;
  // From when on the tier must have the samples.
  int64_t kept_from_s(const std::string& name, int64_t tier_s) const;
  // Returns whether nothing may expire yet, because the clock was slow and has not been right for as long.
  bool may_have_been_slow() const;
  // Compares one series, or all of them if `name` is "*".
  void compare_series(const std::string& name, int64_t step);
  // Compares the merged histograms of all distributions.
  void compare_histograms(int64_t step);
  static void compare_histogram(const SeriesAnswer& got, size_t slot, std::vector<int64_t> values);
  void compare_answer(const QueryAnswer& answer, const SeriesAnswer& series);

  std::mt19937_64 random_;
  Retention retention_;
  std::optional<Retention> other_retention_;
  struct Change {
    int64_t time_s = 0;
    Retention before;
  };
  std::vector<Change> changes_;
  // What was lost of series that have got the name; by tier.
  std::map<std::string, std::array<int64_t, Tiers::kStoredMax>> lost_by_rename_;
  const Tiers tiers_;
  const int64_t longest_s_;
  MemoryStore store_;
  Registry registry_;
  Health health_;
  Log log_lines_{LogLevel::kError};
  int64_t wall_s_ = 1'700'000'000;  // the true time
  int64_t ahead_s_ = 0;             // of the wall clock
  int64_t lag_s_ = 0;               // how much later than their retention data may expire
  int64_t slow_s_ = 0;              // for how long the clock was slow, until the server may forget it
  int64_t right_since_s_ = 0;       // when the clock was last set right
  uint64_t starts_ = 0;
  uint64_t detailed_answers_ = 0;
  model::Model::Families sent_families_;  // since the last tick
  uint64_t expired_ = 0;
  uint64_t ids_reused_ = 0;    // before the last start
  SeriesId ids_at_start_ = 0;  // all ids of the last start are below
  std::unique_ptr<Table> table_;
  std::unique_ptr<IdReuse> id_reuse_;
  std::unique_ptr<Ticker> ticker_;
  ColumnCache cache_{size_t{1} << 20};  // of all lives, and small enough to be full
  std::unique_ptr<QueryEngine> engine_;
  std::vector<std::function<void(model::Model&)>> log_;  // the recorded events
  size_t committed_ = 0;                                 // how many of them a tick has committed
  model::Model model_;
};

}  // namespace statmill
