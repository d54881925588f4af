// WatchdogOptions: how often the Watchdog checks, and which times it considers slow or hanging.
#pragma once

#include "base/clock.h"

namespace statmill {

struct WatchdogOptions {
  Duration look{100};                                // how often all are looked at
  Duration ping{250};                                // how often each loop is pinged
  Duration lag_max{100};                             // of a loop; above is a warning, and one line in the log
  Duration hang{2000};                               // a loop or task that is held for longer is a problem
  Duration task_patience = std::chrono::minutes(5);  // a task that hangs for longer counts as no progress
  Duration warned = std::chrono::minutes(1);         // how long a warning stays after its cause
};

}  // namespace statmill
