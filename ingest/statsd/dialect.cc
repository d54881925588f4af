#include "ingest/statsd/dialect.h"

#include <random>

namespace statmill {
namespace {

uint64_t random_seed() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

class StatsdParser final : public LineParser {
 public:
  struct Counters {
    Counter& gauges_not_remembered;
    Counter& gauges_forgotten;
  };
  // All must outlive it.
  StatsdParser(StatsdState& state, const Counters& counters) : state_(state), counters_(counters) {}

  void parse(std::string_view bytes) override { parse_statsd_lines(bytes, parsed_); }
  Batch& batch() override { return parsed_.batch; }
  void submit(Intake& intake, const ListenerAccount& account, Timestamp now) override {
    const StatsdState::Outcome outcome = state_.resolve(parsed_, now);
    if (outcome.gauges_not_remembered != 0)
      counters_.gauges_not_remembered.add(outcome.gauges_not_remembered);
    if (outcome.gauges_forgotten != 0) counters_.gauges_forgotten.add(outcome.gauges_forgotten);
    // Members never reach the table.
    account.received.add(outcome.members);
    account.accepted.add(outcome.members);
    intake.submit(parsed_.batch, account, now);
    parsed_.clear();
  }

 private:
  StatsdState& state_;
  const Counters counters_;
  StatsdBatch parsed_;
};

}  // namespace

StatsdDialect::StatsdDialect(const StatsdLimits& limits, Intake& intake, Registry& registry)
    : Dialect({.setting = "statsd.listen",
               .tcp_account = "statsd_tcp",
               .udp_account = "statsd_udp",
               .tick_interval = std::chrono::seconds(1)}),
      intake_(intake),
      sets_account_(intake.account("statsd_sets")),
      state_(limits, random_seed()),
      gauges_not_remembered_(
          registry.counter("statmill.statsd_gauges_not_remembered",
                           "Accepted values of gauges that were not remembered because of --statsd.gauges.")),
      gauges_forgotten_(
          registry.counter("statmill.statsd_gauges_forgotten",
                           "Gauges forgotten because they were silent for --statsd.gauge_expiry.")),
      gauges_(registry.gauge("statmill.statsd_gauges", "Gauges whose last value is remembered.")),
      sets_(registry.gauge("statmill.statsd_sets", "Open sets.")) {}

std::unique_ptr<LineParser> StatsdDialect::make_parser() {
  return std::make_unique<StatsdParser>(state_,
                                        StatsdParser::Counters{gauges_not_remembered_, gauges_forgotten_});
}

void StatsdDialect::tick(Timestamp now) {
  Batch counts;
  state_.end_slots(now, counts);
  intake_.submit(counts, sets_account_, now);
  gauges_forgotten_.add(state_.forget_gauges(now));
  gauges_.set(static_cast<int64_t>(state_.gauge_count()));
  sets_.set(static_cast<int64_t>(state_.set_count()));
}

void StatsdDialect::close(Timestamp now) {
  Batch counts;
  state_.end_all_slots(counts);
  intake_.submit(counts, sets_account_, now);
}

}  // namespace statmill
