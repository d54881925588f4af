// run_attempts(): runs a query again when the names of series, or the retention, change while it runs.
#pragma once

#include "base/result.h"
#include "server/query/query_control.h"
#include "storage/live_retention.h"

namespace statmill {

// A change of names takes only an instant between two ticks.
inline constexpr int kAttemptsMax = 100;

inline Error retention_changed() { return {ErrorCode::kBusy, "the retention kept being changed"}; }

// Calls `attempt`, which returns a Result, until it returns anything but kBusy. Returns the last result. The
// control's cost is that of the last attempt. A limit that the query meets ends it, and so does its move to
// the heavy lane.
template <class Attempt>
auto run_attempts(QueryControl& control, const Attempt& attempt) {
  auto result = attempt();
  for (int i = 1; i < kAttemptsMax; ++i) {
    const bool has_changed = !result && result.error().code == ErrorCode::kBusy;
    if (!has_changed || control.is_too_heavy() || control.refused_by()) break;
    control.start_again();
    result = attempt();
  }
  return result;
}

// The same; also calls `attempt` again if another retention came into use meanwhile: the tier that was chosen
// by the one before may have lost data.
template <class Attempt>
auto run_attempts(const LiveRetention& retention, QueryControl& control, const Attempt& attempt) {
  return run_attempts(control, [&] {
    const Retention& before = retention.get();
    auto result = attempt();
    if (result && &retention.get() != &before) result = retention_changed();
    return result;
  });
}

}  // namespace statmill
