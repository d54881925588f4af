#include "base/watchdog_settings.h"

#include "base/setting_values.h"

namespace statmill {

std::vector<Setting> watchdog_settings(WatchdogOptions& options) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  return {
      {"watchdog.lag", "TIME", "100ms", "warn if a handler blocks an event loop for longer",
       duration_setting(options.lag_max, milliseconds(1), hours(1))},
      {"watchdog.hang", "TIME", "2s", "report a health problem if an event loop or a tick hangs for longer",
       duration_setting(options.hang, milliseconds(1), hours(1))}};
}

}  // namespace statmill
