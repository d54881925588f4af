// SampleSink: where the samples of listeners go. A server's table is one, an agent's relay another.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "proto/batch.h"

namespace statmill {

// Thread-safe.
class SampleSink {
 public:
  virtual ~SampleSink() = default;

  // Takes the batch's samples, as of `now` where they have no time. Those not taken are added to
  // batch.refused; returns how many were taken. Keeps nothing of the batch.
  virtual uint64_t apply(Batch& batch, Timestamp now) = 0;
};

}  // namespace statmill
