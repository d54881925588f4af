// DemoOptions: settings of `statmilld --demo`.
#pragma once

#include <cstddef>
#include <optional>

#include "base/clock.h"

namespace statmill {

// The series that one sender may create in the demo: --limits.series_per_sender.
inline constexpr size_t kDemoSenderSeries = 5000;

struct DemoOptions {
  bool is_on = false;                 // --demo
  size_t seed = 1;                    // --demo.seed: other numbers make other data
  std::optional<Timestamp> now = {};  // --demo.now: the time of the stopped clock; nullopt: the clock runs
  size_t hosts = 50;                  // --demo.hosts
  size_t names = 0;                   // --demo.names: further series, which get no new samples
};

}  // namespace statmill
