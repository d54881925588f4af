// ClockGuard: computes the time that retention uses as the present. A wall clock may be wrong for a while,
// and expired data cannot be restored, so data expire because time has passed and not because a clock says
// so.
//
// It counts elapsed time with the boot-time clock, from an instant when the wall clock was right. Retention
// uses the earlier of that count and the wall clock. A difference between the two that persists is trusted in
// the end, because a long stop of the server looks the same as a step of the clock. It must persist as long
// as it is large, and for ten minutes at least: a difference of an hour is trusted after an hour. For one
// tier it is enough that it persists for the tier's retention: all older data of the tier have expired by
// then. The server may have been stopped for up to `uncounted_max` before its start; so large a difference is
// trusted after ten minutes.
//
// While the wall clock is slow, it may be the count that is wrong: the clock may have been ahead when the
// count started. Retention then uses the slowest reading plus the time elapsed since, until a later reading
// has persisted for as long as the clock was slow. Samples that were accepted meanwhile are safe that way.
//
// The time is never more than an hour after the newest sample, whatever the clocks say.
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
  struct Readings {
    Timestamp wall;
    SteadyTime boot;                  // Clock::boot()
    std::optional<Timestamp> newest;  // the newest accepted sample; nullopt if there are no data
  };

  // Smaller differences are ignored: NTP makes such steps. Data expire this much later than their retention.
  static constexpr Duration kStepMin = std::chrono::minutes(1);
  static constexpr Duration kTrustAfterMin = std::chrono::minutes(10);
  static constexpr Duration kNewestAhead = std::chrono::hours(1);

  // `saved` is the row() of the server that used this store before. Without it, the count starts at the
  // newest sample, or at the wall clock if there are no data.
  ClockGuard(Duration uncounted_max, const std::optional<ClockRow>& saved, const Readings& now);

  // Updates the count. Returns by how much the wall clock has stepped since the last call; nullopt if it has
  // not.
  std::optional<Duration> tick(const Readings& now);
  // Trusts the wall clock from now on, because an operator says that it is right.
  void confirm() { trust_wall_clock(); }
  // Changes how much time may have passed without being counted; see above.
  void set_uncounted_max(Duration uncounted_max) { uncounted_max_ = uncounted_max; }

  // The present for data with a retention of `retention_s`, in unix seconds; 0 while there are no data.
  int64_t now_s(int64_t retention_s) const;
  // The lowest chunk of the tier that its retention still covers.
  ChunkNo oldest_kept(const Tier& tier) const;
  // The lowest chunk of the tier of which no data can have been dropped. Unlike oldest_kept(), it also
  // considers the whole count, which now_s() may be below.
  ChunkNo oldest_whole(const Tier& tier) const;

  // By how much the wall clock is ahead of the count; negative if it is earlier.
  Duration ahead() const { return wall_ - counted_; }
  // Describes a doubtful clock for an operator; empty if there is no doubt.
  std::string trouble() const;
  // Returns true if the wall clock differs from the count and has done so for less than ten minutes. Then
  // trouble() is a problem, else a warning.
  bool is_fresh() const;

  ClockRow row() const { return {counted_, ahead_, persisted_, slow_by_, slow_for_}; }

 private:
  void update();
  void trust_wall_clock();
  // How long the present difference must persist before it is trusted.
  Duration trust_after() const;
  // Returns true if the wall clock was slower than now since it was last trusted, by more than kStepMin.
  bool was_slower() const;
  // How long the present difference must persist before the slower readings are forgotten.
  Duration slow_until() const;

  Duration uncounted_max_;
  Timestamp wall_;
  SteadyTime boot_;
  std::optional<Timestamp> newest_;
  Timestamp counted_;     // the count: when the wall clock was right, plus the time elapsed since
  Duration ahead_{};      // ahead() when `persisted_` was 0
  Duration persisted_{};  // how long the difference has persisted
  Duration uncounted_;    // how much of the difference may be time that was not counted
  Duration slow_by_{};    // by how much the wall clock was slow, at most, since it was last trusted
  Duration slow_for_{};   // for how long it was slow by more than kStepMin
};

}  // namespace statmill
