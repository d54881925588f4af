// The service manager: notifies systemd of the state of this process (sd_notify(3)). Does nothing if systemd
// did not start the process.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace statmill::service_manager {

// All functions are thread-safe. A message that cannot be sent is lost: the process also works without a
// service manager.

// Startup is complete.
void ready();
// The process is stopping.
void stopping();
// Sets the line that `systemctl status` shows.
void status(std::string_view text);
// The process makes progress. Call it more often than alive_interval().
void alive();
// The longest time between two calls of alive() before systemd ends the process; nullopt if it does not
// watch.
std::optional<Duration> alive_interval();

}  // namespace statmill::service_manager
