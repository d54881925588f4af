// HostBoot: which kernel a host runs, and since when.
#pragma once

#include <string>

#include "base/clock.h"

namespace statmill {

// The boot of a host. Fields that are not known are empty or zero.
struct HostBoot {
  std::string kernel = {};  // its release, "6.1.0-18-amd64"
  std::string id = {};      // another one at each boot
  Timestamp time{};         // when the host booted; the clock may step, so only `id` tells boots apart

  bool operator==(const HostBoot&) const = default;
};

}  // namespace statmill
