// The service manager: what systemd is told about this process, by sd_notify(3). In a process that systemd
// did not start nothing happens.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace statmill::service_manager {

// All are thread-safe. A message that cannot be sent is lost: the process does its job without a service
// manager, too.

// The start is complete.
void ready();
// The process has begun to stop.
void stopping();
// One line that `systemctl status` shows.
void status(std::string_view text);
// The process makes progress. To be called more often than alive_interval().
void alive();
// The process is ended if alive() is not called for so long; nullopt: nobody waits for it.
std::optional<Duration> alive_interval();

}  // namespace statmill::service_manager
