// StatsdEvents: passes events of statsd senders to the event log.
#pragma once

#include "ingest/statsd/event_sink.h"
#include "server/documents/event_log.h"

namespace statmill {

// Thread-safe.
class StatsdEvents final : public StatsdEventSink {
 public:
  explicit StatsdEvents(EventLog& events) : events_(events) {}  // must outlive it

  // Texts that are too long are cut, tags beyond the first ones left out, and so is a text that is not UTF-8.
  // An event with a host concerns the series with that host. A time that no event may have counts as none.
  bool add(const StatsdEvent& event, Timestamp now) override;

 private:
  EventLog& events_;
};

}  // namespace statmill
