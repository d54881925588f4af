// ClockGuard: the time that retention goes by. A wall clock may be wrong for a while, and what has expired is
// gone for good, so data expire by time that has passed, and not because a clock says so.
//
// It counts the time that passes, by the boot-time clock, from a moment when the wall clock was right. While
// the wall clock stands further ahead, retention goes by that count; while it stands behind, by the wall
// clock. A difference that stands is believed in the end: time without a server is no step of the clock, and
// nobody can tell the two apart. What is believed costs no more than it has lasted: a difference of an hour
// must stand for an hour, and ten minutes at least. For a tier it is enough that it has stood for as long as
// the tier keeps data: what the tier had before has expired by then. A start may follow a stop of up to
// `unseen_max`; this much is believed after ten minutes.
//
// And no tier expires anything beyond an hour after the newest sample, whatever the clocks say.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "storage/clock_row.h"
#include "storage/ids.h"
#include "storage/tiers.h"

namespace statmill {

// Confined to one thread.
class ClockGuard {
 public:
  struct Moment {
    Timestamp wall;
    SteadyTime boot;                  // Clock::boot()
    std::optional<Timestamp> newest;  // the newest sample that was ever taken; none: there is no data
  };

  // A smaller difference is none: NTP steps that much. Nothing expires until it is so much past its time.
  static constexpr Duration kStepMin = std::chrono::minutes(1);
  static constexpr Duration kStandingMin = std::chrono::minutes(10);
  static constexpr Duration kNewestAhead = std::chrono::hours(1);

  // `saved`: of the last server of this store; none: it goes on from the newest sample, or from the wall
  // clock where there is none.
  ClockGuard(Duration unseen_max, const std::optional<ClockRow>& saved, const Moment& now);

  // Returns by how much the wall clock has stepped since the last call, if it did.
  std::optional<Duration> tick(const Moment& now);
  // An operator says that the wall clock is right.
  void confirm() { believe(); }

  // The present time for what is kept for `retention_s`, in unix seconds; 0 while there is no data.
  int64_t now_s(int64_t retention_s) const;
  // The lowest chunk of the tier that its retention still covers.
  ChunkNo oldest_kept(const Tier& tier) const;
  // The same by all time that has passed: below it data may have been dropped, even if now_s() has fallen.
  ChunkNo oldest_whole(const Tier& tier) const;

  // By how much the wall clock is ahead of the time that has passed; negative: behind.
  Duration ahead() const { return wall_ - passed_; }
  // What an operator should know, empty when all is well. It is a problem for the first ten minutes.
  std::string trouble() const;
  bool is_fresh() const { return standing_ < kStandingMin; }

  ClockRow row() const { return {passed_, ahead_, standing_}; }

 private:
  void settle();
  void believe();
  // How long a difference like the present one must stand.
  Duration needed() const;

  const Duration unseen_max_;
  Timestamp wall_;
  SteadyTime boot_;
  std::optional<Timestamp> newest_;
  Timestamp passed_;
  Duration ahead_{};     // as it was when `standing_` began
  Duration standing_{};  // for how long the difference has stood
  Duration unseen_;      // so much of it may be time that nobody counted
};

}  // namespace statmill
