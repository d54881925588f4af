// StatsdEventSink: the destination of events that statsd senders send, such as a server's event log.
#pragma once

#include "base/clock.h"
#include "proto/statsd/event.h"

namespace statmill {

// Thread-safe.
class StatsdEventSink {
 public:
  virtual ~StatsdEventSink() = default;

  // Adds an event; one without a time gets `now`. Returns false if there is no room for it. Keeps no
  // reference.
  virtual bool add(const StatsdEvent& event, Timestamp now) = 0;
};

}  // namespace statmill
