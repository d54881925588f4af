// SampleSink: the destination of the listeners' samples, such as a server's table or an agent's relay.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "proto/batch.h"

namespace statmill {

// Thread-safe.
class SampleSink {
 public:
  virtual ~SampleSink() = default;

  // Applies the batch's samples and families; samples without a time get `now`. Adds the refused ones to
  // batch.refused, removes refused families, and returns how many samples it accepted. Keeps no reference to
  // the batch.
  virtual uint64_t apply(Batch& batch, Timestamp now) = 0;
};

}  // namespace statmill
