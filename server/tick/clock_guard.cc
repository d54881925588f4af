#include "server/tick/clock_guard.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "storage/rollup.h"

namespace statmill {
namespace {

Duration size_of(Duration difference) { return std::chrono::abs(difference); }

std::string text_of(Duration difference) {
  using std::chrono::hours;
  using std::chrono::minutes;
  if (difference >= hours(2))
    return format_duration(std::chrono::duration_cast<Duration>(std::chrono::floor<hours>(difference)));
  return format_duration(std::chrono::duration_cast<Duration>(std::chrono::floor<minutes>(difference)));
}

}  // namespace

ClockGuard::ClockGuard(Duration unseen_max, const std::optional<ClockRow>& saved, const Moment& now)
    : unseen_max_(unseen_max),
      wall_(now.wall),
      boot_(now.boot),
      newest_(now.newest),
      passed_(saved ? saved->passed : now.newest.value_or(now.wall)),
      ahead_(wall_ - passed_),
      unseen_(unseen_max) {
  // A difference that existed before the stop still counts from its beginning; the stop may have added to it.
  const bool goes_on =
      saved && size_of(saved->ahead) > unseen_max && size_of(ahead_ - saved->ahead) <= unseen_max;
  if (goes_on) standing_ = saved->standing;
  settle();
}

std::optional<Duration> ClockGuard::tick(const Moment& now) {
  const auto passed = std::max(Duration(0), std::chrono::round<Duration>(now.boot - boot_));
  const Duration step = now.wall - wall_ - passed;
  wall_ = now.wall;
  boot_ = now.boot;
  newest_ = now.newest;
  if (passed <= unseen_max_) {
    passed_ += passed;
    standing_ += passed;
  } else {
    unseen_ = unseen_max_;  // after so long without a tick, not even the boot-time clock is trusted
  }
  const bool has_stepped = size_of(step) > kStepMin;
  if (has_stepped) unseen_ = Duration(0);  // the difference is a step, not time that was not counted
  settle();
  return has_stepped ? std::optional(step) : std::nullopt;
}

void ClockGuard::settle() {
  if (size_of(ahead() - ahead_) > kStepMin) {
    ahead_ = ahead();
    standing_ = Duration(0);
  }
  if (!newest_ || size_of(ahead()) <= kStepMin || standing_ >= needed()) believe();
}

void ClockGuard::believe() {
  passed_ = wall_;
  ahead_ = Duration(0);
  unseen_ = Duration(0);
}

Duration ClockGuard::needed() const {
  return size_of(ahead()) <= unseen_ ? kStandingMin : std::max(kStandingMin, size_of(ahead()));
}

int64_t ClockGuard::now_s(int64_t retention_s) const {
  if (!newest_) return 0;
  const bool is_believed = standing_ >= std::max<Duration>(kStandingMin, std::chrono::seconds(retention_s));
  const Timestamp now = is_believed ? wall_ : std::min(wall_, passed_);
  return unix_seconds(std::min(now, *newest_ + kNewestAhead) - kStepMin);
}

ChunkNo ClockGuard::oldest_kept(const Tier& tier) const {
  return statmill::oldest_kept(tier, now_s(tier.retention_s));
}

ChunkNo ClockGuard::oldest_whole(const Tier& tier) const {
  return std::max(oldest_kept(tier), statmill::oldest_kept(tier, unix_seconds(passed_)));
}

std::string ClockGuard::trouble() const {
  const Duration by = size_of(ahead());
  if (by <= std::max(kStepMin, unseen_)) return {};
  const std::string standing = "the wall clock is " + text_of(by) +
                               (ahead() > Duration(0) ? " ahead of" : " behind") +
                               " the time that has passed since it was last right";
  const std::string effect =
      ahead() > Duration(0)
          ? "; expiry and rollup go by the time that passes, and not by the clock, until it "
            "has stayed so for "
          : "; expiry and rollup wait for it, until it has stayed so for ";
  return standing + effect + text_of(needed()) +
         ". If the clock is right, `statmill clock confirm` ends this";
}

}  // namespace statmill
