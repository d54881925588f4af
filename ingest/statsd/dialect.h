// StatsdDialect: statsd's lines for a listener: all its sources share the gauges and sets of one StatsdState.
#pragma once

#include "ingest/dialect.h"
#include "ingest/statsd/state.h"

namespace statmill {

// The count of a set goes to the intake when its slot is over, on an account of its own ("statsd_sets"): on
// the listener's, what is received and accepted are the members.
class StatsdDialect final : public Dialect {
 public:
  // Both must outlive it.
  StatsdDialect(const StatsdLimits& limits, Intake& intake, Registry& registry);

  std::unique_ptr<LineParser> make_parser() override;
  void tick(Timestamp now) override;
  void close(Timestamp now) override;

 private:
  Intake& intake_;
  const ListenerAccount sets_account_;
  StatsdState state_;
  Counter& gauges_not_remembered_;
  Counter& gauges_forgotten_;
  Gauge& gauges_;
  Gauge& sets_;
};

}  // namespace statmill
