#include "base/service_manager.h"

#include <systemd/sd-daemon.h>

#include <string>

namespace statmill::service_manager {
namespace {

constexpr int kKeepEnvironment = 0;

void notify(const std::string& state) { static_cast<void>(::sd_notify(kKeepEnvironment, state.c_str())); }

}  // namespace

void ready() { notify("READY=1"); }
void stopping() { notify("STOPPING=1"); }
void status(std::string_view text) { notify("STATUS=" + std::string(text)); }
void alive() { notify("WATCHDOG=1"); }

std::optional<Duration> alive_interval() {
  uint64_t microseconds = 0;
  if (::sd_watchdog_enabled(kKeepEnvironment, &microseconds) <= 0) return std::nullopt;
  return std::chrono::floor<Duration>(std::chrono::microseconds(microseconds));
}

}  // namespace statmill::service_manager
