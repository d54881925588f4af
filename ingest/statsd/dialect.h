// StatsdDialect: the statsd protocol for a listener. All its sources share
// the gauges and sets of one StatsdState.
#pragma once

#include "ingest/dialect.h"
#include "ingest/statsd/event_sink.h"
#include "ingest/statsd/state.h"

namespace statmill {

// When a slot ends, the dialect submits the count of each set to the intake under the account "statsd_sets".
// The listener's own account counts the members.
class StatsdDialect final : public Dialect {
 public:
  // All must outlive it. `events` gets events and changes of service checks; nullptr: events are refused
  // (unsupported).
  StatsdDialect(const StatsdLimits& limits, Intake& intake, Registry& registry,
                StatsdEventSink* events = nullptr);

  std::unique_ptr<LineParser> make_parser() override;
  void tick(Timestamp now) override;
  void close(Timestamp now) override;

 private:
  Intake& intake_;
  const ListenerAccount sets_account_;
  StatsdEventSink* const events_;
  Counter& events_accepted_;
  Counter& check_events_left_out_;
  StatsdState state_;
  Counter& gauges_not_remembered_;
  Counter& gauges_forgotten_;
  Gauge& gauges_;
  Gauge& sets_;
};

}  // namespace statmill
