#include "base/watchdog_settings.h"

#include "base/setting_values.h"

namespace statmill {

std::vector<Setting> watchdog_settings(WatchdogOptions& options) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  return {{"watchdog.lag", "TIME", "100ms",
           "an event loop that is held for longer is warned of, with its handler",
           duration_setting(options.lag_max, milliseconds(1), hours(1))},
          {"watchdog.hang", "TIME", "2s", "an event loop or a tick that takes longer is a problem of health",
           duration_setting(options.hang, milliseconds(1), hours(1))}};
}

}  // namespace statmill
