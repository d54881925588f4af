#include "agent/recording/trigger_watch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace statmill {

TriggerWatch::TriggerWatch(MetricSink& next, const std::vector<Trigger>& triggers, Duration pause)
    : next_(next), pause_(pause) {
  for (const Trigger& trigger : triggers) watched_.push_back({.trigger = trigger});
}

void TriggerWatch::begin(SteadyTime now) {
  now_ = now;
  if (collections_++ == 0) since_ = now;
  for (Watched& watched : watched_) watched.is_read = watched.holds = false;
}

void TriggerWatch::add_gauge(const HostSeries& series, double value) {
  if (std::isfinite(value)) compare(series.name, value);
  next_.add_gauge(series, value);
}

void TriggerWatch::add_total(const HostSeries& series, uint64_t total) {
  if (is_watched(series.name)) {
    const auto it = totals_.find(series.name);
    if (it != totals_.end() && it->second.at < now_ && it->second.value <= total) {
      const std::chrono::duration<double> elapsed = now_ - it->second.at;
      compare(series.name, static_cast<double>(total - it->second.value) / elapsed.count());
    }
    totals_.insert_or_assign(std::string(series.name), Total{total, now_});
  }
  next_.add_total(series, total);
}

std::vector<std::string> TriggerWatch::fired() {
  std::vector<std::string> fired;
  const bool is_late = collections_ > kFirstCollections && now_ - since_ > kFirstReading;
  for (Watched& watched : watched_) {
    if (!watched.is_read) {
      if (is_late && !watched.is_true) {
        watched.is_true = false;
        watched.is_unread = true;
      }
      continue;
    }
    const bool was_true = std::exchange(watched.is_true, watched.holds).value_or(true);
    if (was_true || !watched.holds) continue;
    if (watched.fired_at && now_ - *watched.fired_at < pause_) continue;
    watched.fired_at = now_;
    fired.push_back(watched.trigger.text());
  }
  std::erase_if(totals_, [this](const auto& entry) { return now_ - entry.second.at > kForgetAfter; });
  return fired;
}

std::vector<std::string> TriggerWatch::unread() {
  std::vector<std::string> unread;
  for (Watched& watched : watched_) {
    if (std::exchange(watched.is_unread, false)) unread.push_back(watched.trigger.text());
  }
  return unread;
}

bool TriggerWatch::is_watched(std::string_view name) const {
  return std::any_of(watched_.begin(), watched_.end(),
                     [name](const Watched& watched) { return watched.trigger.matches(name); });
}

void TriggerWatch::compare(std::string_view name, double value) {
  for (Watched& watched : watched_) {
    if (!watched.trigger.matches(name)) continue;
    watched.is_read = true;
    watched.holds |= watched.trigger.holds(value);
  }
}

}  // namespace statmill
