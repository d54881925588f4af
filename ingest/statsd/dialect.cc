#include "ingest/statsd/dialect.h"

#include <random>
#include <string>
#include <string_view>

namespace statmill {
namespace {

// As for a datagram. Clients of DogStatsD send at most 8 KiB at once.
constexpr size_t kFrameBytesMax = 65536;

uint64_t random_seed() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

class StatsdParser final : public LineParser {
 public:
  struct Counters {
    Counter& gauges_not_remembered;
    Counter& gauges_forgotten;
    Counter& events_accepted;
    Counter& check_events_left_out;
  };
  // All must outlive it.
  StatsdParser(StatsdState& state, StatsdEventSink* events, const Counters& counters)
      : state_(state), events_(events), counters_(counters) {}

  void parse(std::string_view bytes) override { parse_statsd_lines(bytes, parsed_); }
  Batch& batch() override { return parsed_.batch; }
  void submit(Intake& intake, const ListenerAccount& account, Timestamp now) override {
    if (events_ != nullptr) {
      for (const StatsdBatch::Check& check : parsed_.checks) pass_check(check, now);
    }
    const uint64_t events = pass_events(now);
    const StatsdState::Outcome outcome = state_.resolve(parsed_, now);
    if (outcome.gauges_not_remembered != 0)
      counters_.gauges_not_remembered.add(outcome.gauges_not_remembered);
    if (outcome.gauges_forgotten != 0) counters_.gauges_forgotten.add(outcome.gauges_forgotten);
    // Members and events never reach the table.
    account.received.add(outcome.members + events);
    account.accepted.add(outcome.members + events);
    intake.submit(parsed_.batch, account, now);
    parsed_.clear();
  }

 private:
  // Returns the number of events that were accepted.
  uint64_t pass_events(Timestamp now) {
    uint64_t accepted = 0;
    for (const StatsdEvent& event : parsed_.events) {
      if (events_ == nullptr) {
        parsed_.batch.refuse(Refusal::kUnsupported, event.title, event.sender);
      } else if (!state_.admit_event(now) || !events_->add(event, now)) {
        parsed_.batch.refuse(Refusal::kStateLimit, event.title, event.sender);
      } else {
        ++accepted;
      }
    }
    if (accepted != 0) counters_.events_accepted.add(accepted);
    parsed_.events.clear();
    return accepted;
  }

  // Makes an event of a service check whose status has changed. The gauge has all of them.
  void pass_check(const StatsdBatch::Check& check, Timestamp now) {
    constexpr std::string_view kStates[] = {"ok", "warning", "critical", "unknown"};
    constexpr std::string_view kAlerts[] = {"success", "warning", "error", "warning"};
    const Sample& sample = parsed_.batch.samples[check.sample];
    const auto status = static_cast<size_t>(sample.value.mantissa);
    if (!state_.note_check(sample.name, sample.value.mantissa)) return;
    const std::string title = std::string(sample.name) + " is " + std::string(kStates[status]);
    const StatsdEvent event{.title = title,
                            .text = check.message,
                            .tags = "service_check",
                            .alert = kAlerts[status],
                            .time_s = sample.time_s,
                            .sender = check.sender};
    if (state_.admit_event(now) && events_->add(event, now)) {
      counters_.events_accepted.add();
    } else {
      counters_.check_events_left_out.add();
    }
  }

  StatsdState& state_;
  StatsdEventSink* const events_;
  const Counters counters_;
  StatsdBatch parsed_;
};

}  // namespace

StatsdDialect::StatsdDialect(const StatsdLimits& limits, Intake& intake, Registry& registry,
                             StatsdEventSink* events)
    : Dialect({.setting = "statsd.listen",
               .tcp_account = "statsd_tcp",
               .udp_account = "statsd_udp",
               .unix_account = "statsd_unix",
               .socket_setting = "statsd.socket",
               .stream_account = "statsd_stream",
               .stream_socket_setting = "statsd.stream_socket",
               .tick_interval = std::chrono::seconds(1),
               .unix_streams = {.unit = StreamFormat::Unit::kLittleEndianFrames,
                                .frame_bytes_max = kFrameBytesMax}}),
      intake_(intake),
      sets_account_(intake.account("statsd_sets")),
      events_(events),
      events_accepted_(registry.counter("statmill.statsd_events",
                                        "Events of DogStatsD, and changes of service checks, passed on.")),
      check_events_left_out_(registry.counter(
          "statmill.statsd_check_events_left_out",
          "Changes of service checks that became no event because of --statsd.events or the event log.")),
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
  return std::make_unique<StatsdParser>(state_, events_,
                                        StatsdParser::Counters{gauges_not_remembered_, gauges_forgotten_,
                                                               events_accepted_, check_events_left_out_});
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
