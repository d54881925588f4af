#include "server/rules/active_alerts.h"

#include <algorithm>
#include <utility>

namespace statmill::rules {
namespace {

// Moves an alert on whose condition does not hold. Returns false if it is to be forgotten. Takes what remains
// from the room.
bool step_without(Alert& alert, const Rule& rule, Timestamp now, AlertRoom& room) {
  if (alert.state == Alert::State::kPending) return false;
  if (alert.state == Alert::State::kResolved) {
    if (now - alert.resolved_at > kResolvedKept || room.resolved == 0) return false;
    --room.resolved;
    return true;
  }
  if (rule.keep_firing.count() > 0 && room.active > 0) {
    if (alert.keep_firing_since == Timestamp{}) alert.keep_firing_since = now;
    if (now - alert.keep_firing_since < rule.keep_firing) {
      --room.active;
      return true;
    }
  }
  alert.state = Alert::State::kResolved;
  alert.resolved_at = now;
  return true;
}

// Moves an alert on whose condition holds.
void step_with(Alert& alert, const Rule& rule, Timestamp now) {
  alert.keep_firing_since = {};
  if (alert.state != Alert::State::kPending || now - alert.active_at < rule.hold) return;
  alert.state = Alert::State::kFiring;
  alert.fired_at = now;
}

void set_back(Alert& alert, Timestamp now) {
  for (Timestamp* time : {&alert.active_at, &alert.fired_at, &alert.resolved_at, &alert.keep_firing_since})
    *time = std::min(*time, now);
  if (alert.sent_at > now) alert.sent_at = {};
}

bool are_stored_alike(const Alert& a, const Alert& b) {
  return a.state == b.state && a.active_at == b.active_at && a.keep_firing_since == b.keep_firing_since;
}

}  // namespace

std::string_view state_text(Alert::State state) {
  switch (state) {
    case Alert::State::kPending:
      return "pending";
    case Alert::State::kFiring:
      return "firing";
    case Alert::State::kResolved:
      break;
  }
  return "inactive";
}

std::vector<ActiveAlerts::Change> ActiveAlerts::step(std::vector<Found> found, const Rule& rule,
                                                     Timestamp now, const AlertRoom& room) {
  std::vector<Change> changes;
  AlertRoom left{room.active - std::min(room.active, found.size()), room.resolved};
  gone_.clear();
  std::ranges::sort(found, {}, &Found::labels);
  for (auto at = alerts_.begin(); at != alerts_.end();) {
    Alert& alert = at->second;
    if (std::ranges::binary_search(found, at->first, {}, &Found::labels)) {
      ++at;
      continue;
    }
    const Alert before = alert;
    set_back(alert, now);
    if (!step_without(alert, rule, now, left)) {
      gone_.push_back(std::move(alerts_.extract(at++).key()));
      continue;
    }
    if (!are_stored_alike(before, alert)) changes.push_back({&at->first, alert});
    ++at;
  }
  for (Found& one : found) {
    const auto [at, is_new] = alerts_.try_emplace(std::move(one.labels));
    Alert& alert = at->second;
    const Alert before = alert;
    if (is_new || alert.state == Alert::State::kResolved) {
      alert = Alert();
      alert.active_at = now;
    }
    set_back(alert, now);
    alert.annotations = std::move(one.annotations);
    alert.value = one.value;
    step_with(alert, rule, now);
    if (is_new || !are_stored_alike(before, alert)) changes.push_back({&at->first, alert});
  }
  for (const LabelMap& labels : gone_) changes.push_back({&labels, std::nullopt});
  return changes;
}

std::vector<const ActiveAlerts::Alerts::value_type*> ActiveAlerts::take_due(Timestamp now, Duration resend) {
  std::vector<const Alerts::value_type*> out;
  for (auto& entry : alerts_) {
    Alert& alert = entry.second;
    if (alert.state == Alert::State::kPending) continue;
    const bool has_ended = alert.resolved_at > alert.sent_at;
    if (!has_ended && alert.sent_at != Timestamp{} && alert.sent_at + resend > now) continue;
    alert.sent_at = now;
    out.push_back(&entry);
  }
  return out;
}

size_t ActiveAlerts::active() const {
  return static_cast<size_t>(std::ranges::count_if(
      alerts_, [](const auto& entry) { return entry.second.state != Alert::State::kResolved; }));
}

}  // namespace statmill::rules
