// RemoteOptions: how samples that come by remote_write are remembered.
#pragma once

#include <chrono>

#include "base/clock.h"

namespace statmill {

struct RemoteOptions {
  // --prometheus.forget: what a series had last is forgotten when no sample came for so long; its next sample
  // is then its first.
  Duration forget = std::chrono::hours(24);
};

}  // namespace statmill
