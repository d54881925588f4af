// StatsdState: the state that statsd lines need: the last value of each gauge, to which steps are added, and
// the members of each set in a slot.
//
// It is in RAM only: after a start no gauge is known, and a crash loses the sets of the current slot. Gauges
// that are silent for long are forgotten, so that short-lived names do not use up the limit.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mutex.h"
#include "base/text_map.h"
#include "base/verdict.h"
#include "ingest/statsd/last_values.h"
#include "ingest/statsd/unique_count.h"
#include "proto/statsd/parser.h"

namespace statmill {

struct StatsdLimits {
  size_t gauges_max = 100'000;  // --statsd.gauges: gauges whose last value is remembered
  // --statsd.gauge_expiry: a gauge that is silent for longer is forgotten; 0: never
  Duration gauge_expiry = std::chrono::hours(24);
  size_t events_per_second_max = 10;  // --statsd.events; 0: none are accepted
  size_t checks_max = 10'000;         // --statsd.checks: service checks whose last status is remembered
  size_t sets_max = 10'000;  // --statsd.sets: open at once, one per name and slot; at most 8 KiB each
};

// Thread-safe: one lock per batch.
class StatsdState {
 public:
  static constexpr int64_t kSetSlotS = 10;  // a set starts empty in each slot, as in statsd by default
  static constexpr size_t kSweepParts = LastValues::kSweepParts;  // calls of forget_gauges() for a full pass

  struct Outcome {
    uint64_t members = 0;  // accepted
    uint64_t gauges_not_remembered = 0;
    uint64_t gauges_forgotten = 0;
  };

  // `seed` is for the hashes of gauge names. It should be secret if strangers may send lines.
  explicit StatsdState(const StatsdLimits& limits, uint64_t seed = 0) : limits_(limits), seed_(seed) {}

  // Replaces the steps among the samples by the gauges' new values, in the order of the lines
  // regardless of their times; an unknown gauge counts as 0. Adds the members to the sets of the slot
  // of `now`. If a limit is reached, refuses steps and members with new names (state_limit), and
  // accepts values of new gauges without remembering them. Counts refusals in the batch, but not the
  // accepted members. Clears the batch's gauges and members. Cost: one table lookup per gauge or
  // member, nothing for other samples; occasionally a table grows.
  Outcome resolve(StatsdBatch& batch, Timestamp now);

  // Checks a part of all gauges, forgets those silent for longer than gauge_expiry at `now`, and returns how
  // many. The next call continues with the next part. (An expired gauge that returns before its part is
  // checked counts as unknown, too.)
  uint64_t forget_gauges(Timestamp now);

  // Ends the sets whose slot is over at `now`: adds the count of each to
  // `batch`, as a gauge at the start of the slot.
  void end_slots(Timestamp now, Batch& batch);
  // Ends all sets, also those of the current slot.
  void end_all_slots(Batch& batch);

  // Returns false if as many events were admitted in the second of `now` as may be.
  bool admit_event(Timestamp now);
  // Remembers the status of a service check. Returns true if it is another one than before; before the first
  // one, a check is 0 (ok). Returns false for a new name if the limit is reached.
  bool note_check(std::string_view name, int64_t status);

  size_t gauge_count() const;
  size_t set_count() const;

 private:
  using Sets = std::map<int64_t, TextMap<UniqueCount>>;  // by slot
  struct GaugeSample {
    Sample& sample;
    const Hash128& name;
    LastValues::Entry* known;  // nullptr if unknown
    bool is_step = false;
  };

  // Gauges whose last value arrived before the returned time count as unknown.
  Timestamp known_since(Timestamp now) const {
    return limits_.gauge_expiry > Duration(0) ? now - limits_.gauge_expiry : Timestamp::min();
  }
  void resolve_gauges(StatsdBatch& batch, const std::vector<Hash128>& names, Timestamp now, Outcome& outcome)
      REQUIRES(mutex_);
  Verdict<Refusal> resolve_gauge(const GaugeSample& gauge, Timestamp now, Outcome& outcome) REQUIRES(mutex_);
  bool add_member(const StatsdBatch::SetMember& member, int64_t slot) REQUIRES(mutex_);
  void end_before(int64_t slot, Batch& batch);

  const StatsdLimits limits_;
  const uint64_t seed_;
  mutable Mutex mutex_;
  LastValues gauges_ GUARDED_BY(mutex_);
  Sets sets_ GUARDED_BY(mutex_);
  size_t set_count_ GUARDED_BY(mutex_) = 0;
  int64_t last_ended_ GUARDED_BY(mutex_) = -1;  // slot
  TextMap<int64_t> checks_
      GUARDED_BY(mutex_);  // status by name; those that were never other than 0 are not there
  int64_t events_second_ GUARDED_BY(mutex_) = 0;
  size_t events_ GUARDED_BY(mutex_) = 0;  // admitted in that second
};

}  // namespace statmill
