// StatsdState: what lines of statsd mean by what came before them: the last value of each gauge, which steps
// add to, and the members of each set in a slot.
//
// In RAM alone: after a start no gauge is known, and a crash loses the sets of the present slot. A gauge that
// is silent for long is forgotten, so that names which come and go do not fill the limit.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mutex.h"
#include "ingest/statsd/last_values.h"
#include "ingest/statsd/unique_count.h"
#include "proto/statsd/parser.h"

namespace statmill {

struct StatsdLimits {
  size_t gauges_max = 100'000;                     // --statsd.gauges: whose last value is known
  Duration gauge_expiry = std::chrono::hours(24);  // --statsd.gauge_expiry: silence it is known over; 0: any
  size_t sets_max = 10'000;  // --statsd.sets: open at once, one per name and slot, of 8 KiB at most each
};

// Thread-safe: one lock per batch.
class StatsdState {
 public:
  static constexpr int64_t kSetSlotS = 10;  // a set is counted anew in each, as statsd does by default
  static constexpr size_t kSweepParts = LastValues::kSweepParts;  // likewise of forget_gauges()

  struct Outcome {
    uint64_t members = 0;  // that were accepted
    uint64_t gauges_not_remembered = 0;
    uint64_t gauges_forgotten = 0;
  };

  // `seed`: of the gauges' hashes. Where strangers may send lines it should be one they do not know.
  explicit StatsdState(const StatsdLimits& limits, uint64_t seed = 0) : limits_(limits), seed_(seed) {}

  // Makes the steps among the samples the gauges' new values, in the order of the lines, whatever times they
  // bear; a gauge that is not known is 0. Puts the members, which are of the slot of `now`, into their sets.
  // Over a limit: a step or a member of a new name is refused (state_limit), a gauge's value is taken but
  // not remembered. What is refused is in the batch's account, accepted members are not. Leaves no gauges and
  // members in the batch. Cost: a look into a table for each of them, nothing for other samples; now and then
  // a table that is full is moved.
  Outcome resolve(StatsdBatch& batch, Timestamp now);

  // Forgets those silent for longer than gauge_expiry at `now`, among a part of all gauges; the next call
  // goes on from there. How many. (A gauge that comes back before it was its turn is unknown all the same.)
  uint64_t forget_gauges(Timestamp now);

  // Ends the sets whose slot is over at `now`: adds the count of each to `batch`, a gauge at the slot's
  // start.
  void end_slots(Timestamp now, Batch& batch);
  // Ends all sets, those of slots under way too.
  void end_all_slots(Batch& batch);

  size_t gauge_count() const;
  size_t set_count() const;

 private:
  template <class Value>
  using ByName = std::unordered_map<std::string, Value, NameHash, std::equal_to<>>;
  using Sets = std::map<int64_t, ByName<UniqueCount>>;  // by slot
  struct GaugeSample {
    Sample& sample;
    const Hash128& name;
    LastValues::Entry* known;  // or null
    bool is_step = false;
  };

  // A gauge whose last value came before that is not known.
  Timestamp known_since(Timestamp now) const {
    return limits_.gauge_expiry > Duration(0) ? now - limits_.gauge_expiry : Timestamp::min();
  }
  void take_gauges(StatsdBatch& batch, const std::vector<Hash128>& names, Timestamp now, Outcome& outcome)
      REQUIRES(mutex_);
  // How a gauge's sample fares; none: it is taken.
  std::optional<Refusal> take_gauge(const GaugeSample& gauge, Timestamp now, Outcome& outcome)
      REQUIRES(mutex_);
  bool take_member(const StatsdBatch::SetMember& member, int64_t slot) REQUIRES(mutex_);
  void end_before(int64_t slot, Batch& batch);

  const StatsdLimits limits_;
  const uint64_t seed_;
  mutable Mutex mutex_;
  LastValues gauges_ GUARDED_BY(mutex_);
  Sets sets_ GUARDED_BY(mutex_);
  size_t set_count_ GUARDED_BY(mutex_) = 0;
  int64_t last_ended_ GUARDED_BY(mutex_) = -1;  // slot
};

}  // namespace statmill
