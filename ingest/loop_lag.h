// The metric of how late event loops are.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "statmill/registry.h"

namespace statmill {

// Returns a function for Watchdog::Services::record_lag, which records each lag in statmill.loop_lag_ns of
// its loop. `registry` must outlive it.
std::function<void(std::string_view loop, std::chrono::nanoseconds lag)> loop_lag_recorder(
    Registry& registry);

}  // namespace statmill
