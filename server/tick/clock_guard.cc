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

ClockGuard::ClockGuard(Duration uncounted_max, const std::optional<ClockRow>& saved, const Readings& now)
    : uncounted_max_(uncounted_max),
      wall_(now.wall),
      boot_(now.boot),
      newest_(now.newest),
      counted_(saved ? saved->counted : now.newest.value_or(now.wall)),
      ahead_(wall_ - counted_),
      uncounted_(uncounted_max) {
  // A difference that existed before the stop still counts from its beginning; the stop may have added to it.
  const bool was_in_doubt = saved && (size_of(saved->ahead) > uncounted_max || saved->slow_by > kStepMin);
  const bool goes_on = was_in_doubt && size_of(ahead_ - saved->ahead) <= uncounted_max;
  if (goes_on) persisted_ = saved->persisted;
  if (saved) {
    slow_by_ = saved->slow_by;
    slow_for_ = saved->slow_for;
  }
  update();
}

std::optional<Duration> ClockGuard::tick(const Readings& now) {
  const auto passed = std::max(Duration(0), std::chrono::round<Duration>(now.boot - boot_));
  const Duration step = now.wall - wall_ - passed;
  if (passed <= uncounted_max_) {
    if (ahead() < -kStepMin) slow_for_ += passed;
    counted_ += passed;
    persisted_ += passed;
  } else {
    uncounted_ = uncounted_max_;  // after so long without a tick, not even the boot-time clock is trusted
  }
  wall_ = now.wall;
  boot_ = now.boot;
  newest_ = now.newest;
  const bool has_stepped = size_of(step) > kStepMin;
  if (has_stepped) uncounted_ = Duration(0);  // the difference is a step, not time that was not counted
  update();
  return has_stepped ? std::optional(step) : std::nullopt;
}

void ClockGuard::update() {
  slow_by_ = std::max(slow_by_, -ahead());
  if (size_of(ahead() - ahead_) > kStepMin) {
    ahead_ = ahead();
    persisted_ = Duration(0);
  }
  if (was_slower() && persisted_ >= slow_until()) {
    slow_by_ = std::max(Duration(0), -ahead());
    slow_for_ = ahead() < -kStepMin ? persisted_ : Duration(0);
  }
  const bool is_right = size_of(ahead()) <= kStepMin || persisted_ >= trust_after();
  if (!newest_ || (is_right && !was_slower())) trust_wall_clock();
}

void ClockGuard::trust_wall_clock() {
  counted_ = wall_;
  ahead_ = Duration(0);
  uncounted_ = slow_by_ = slow_for_ = Duration(0);
}

Duration ClockGuard::trust_after() const {
  return size_of(ahead()) <= uncounted_ ? kTrustAfterMin : std::max(kTrustAfterMin, size_of(ahead()));
}

bool ClockGuard::was_slower() const { return slow_by_ > kStepMin && slow_by_ + ahead() > kStepMin; }

Duration ClockGuard::slow_until() const {
  return std::max(kTrustAfterMin, ahead() < -kStepMin ? slow_for_ - persisted_ : slow_for_);
}

bool ClockGuard::is_fresh() const {
  return persisted_ < kTrustAfterMin && size_of(ahead()) > std::max(kStepMin, uncounted_);
}

int64_t ClockGuard::now_s(int64_t retention_s) const {
  if (!newest_) return 0;
  const bool is_trusted = persisted_ >= std::max<Duration>(kTrustAfterMin, std::chrono::seconds(retention_s));
  const Timestamp now = is_trusted ? wall_ : counted_ - slow_by_;  // at most the wall clock
  return unix_seconds(std::min(now, *newest_ + kNewestAhead) - kStepMin);
}

ChunkNo ClockGuard::oldest_kept(const Tier& tier) const {
  return statmill::oldest_kept(tier, now_s(tier.retention_s));
}

ChunkNo ClockGuard::oldest_whole(const Tier& tier) const {
  return std::max(oldest_kept(tier), statmill::oldest_kept(tier, unix_seconds(counted_)));
}

std::string ClockGuard::trouble() const {
  const Duration by = size_of(ahead());
  const std::string confirm = ". If the clock is right, run `statmill clock confirm`";
  if (by <= std::max(kStepMin, uncounted_)) {
    if (!was_slower()) return {};
    return "the wall clock was " + text_of(slow_by_) +
           " behind the time that has passed since it was last right; expiry and rollup wait until its "
           "present time has lasted for " +
           text_of(slow_until()) + confirm;
  }
  const std::string difference = "the wall clock is " + text_of(by) +
                                 (ahead() > Duration(0) ? " ahead of" : " behind") +
                                 " the time that has passed since it was last right";
  if (was_slower()) {
    return difference +
           ", and it was slower before; expiry and rollup wait until its present time has lasted for " +
           text_of(slow_until()) + confirm;
  }
  const std::string effect =
      ahead() > Duration(0)
          ? "; expiry and rollup use the elapsed time instead of the clock until the difference "
            "has lasted for "
          : "; expiry and rollup wait until it has caught up or the difference has lasted for ";
  return difference + effect + text_of(trust_after()) + confirm;
}

}  // namespace statmill
