// ActiveAlerts: the alerts of one alerting rule, and how they change from one evaluation to the next.
//
//   (none) -- found --> pending -- `for` is over --> firing -- not found, `keep_firing_for` is over -->
//   resolved
//
// The states are those of Prometheus. A resolved alert is kept for kResolvedKept, so that its end is sent
// again if that failed.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "server/rules/rule.h"
#include "server/rules/template_value.h"

namespace statmill::rules {

inline constexpr Duration kResolvedKept = std::chrono::minutes(15);

struct Alert {
  enum class State : uint8_t { kPending, kFiring, kResolved };
  State state = State::kPending;
  LabelMap annotations;
  double value = 0;               // of its newest evaluation
  Timestamp active_at{};          // since when its condition holds
  Timestamp fired_at{};           // since when it fires; 0: never
  Timestamp resolved_at{};        // 0: it is not resolved
  Timestamp keep_firing_since{};  // its condition ended then, but it goes on to fire; 0: it did not
  Timestamp sent_at{};            // when it was sent last; 0: never. Not kept over a restart
};

// How many alerts of a rule may remain after an evaluation.
struct AlertRoom {
  size_t active = SIZE_MAX;    // without room, none goes on to fire after its condition has ended
  size_t resolved = SIZE_MAX;  // of those that were resolved before
};

// "pending", "firing", "inactive".
std::string_view state_text(Alert::State state);

// Confined to one thread.
class ActiveAlerts {
 public:
  // By the labels, which have `alertname`.
  using Alerts = std::map<LabelMap, Alert>;

  // What an evaluation has found.
  struct Found {
    LabelMap labels;
    LabelMap annotations;
    double value = 0;
  };
  // What has to be stored: the alert as it is now, or nullopt if it is gone.
  struct Change {
    const LabelMap* labels;  // valid until the next call of a function that is not const
    std::optional<Alert> alert;
  };

  // Puts in an alert of before the start.
  void restore(LabelMap labels, Alert alert) {
    alerts_.insert_or_assign(std::move(labels), std::move(alert));
  }
  // Moves all alerts on to the evaluation at `now`. Returns the changes of states. Times that are after
  // `now`, since the clock was set back, become `now`. Requires: all labels of `found` differ.
  std::vector<Change> step(std::vector<Found> found, const Rule& rule, Timestamp now,
                           const AlertRoom& room = {});
  // Returns those that have to be sent at `now`: firing ones once in `resend`, resolved ones at once and then
  // as often, until they are forgotten. Marks them as sent.
  std::vector<const Alerts::value_type*> take_due(Timestamp now, Duration resend);
  const Alerts& alerts() const { return alerts_; }
  // Without those that are resolved.
  size_t active() const;
  // Returns all alerts, and has none afterwards.
  Alerts take() { return std::exchange(alerts_, {}); }

 private:
  Alerts alerts_;
  std::vector<LabelMap> gone_;  // what the last changes refer to
};

}  // namespace statmill::rules
