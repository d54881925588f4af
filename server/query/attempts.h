// run_attempts(): runs a query again when the names of series change while it runs.
#pragma once

#include "base/result.h"
#include "server/query/query_control.h"

namespace statmill {

// A change of names takes only an instant between two ticks.
inline constexpr int kAttemptsMax = 100;

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

}  // namespace statmill
