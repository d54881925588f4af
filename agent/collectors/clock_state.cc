#include "agent/collectors/clock_state.h"

#include <sys/timex.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace statmill {
namespace {

class ClockCollector final : public Collector {
 public:
  explicit ClockCollector(ReadClockState read) : read_(std::move(read)) {}

  std::string_view name() const override { return "clock"; }

  CollectorStatus collect(MetricSink& sink) override {
    const Result<ClockState> state = read_();
    if (!state) return CollectorStatus::unavailable(state.error().message);
    sink.gauge("host.clock.synchronized", state->is_synchronized ? 1 : 0);
    // The kernel says 0 if nobody compares the clock with another.
    if (state->is_synchronized) sink.gauge("host.clock.offset_ns", state->offset_ns);
    sink.gauge("host.clock.estimated_error_ns", state->estimated_error_ns);
    sink.gauge("host.clock.max_error_ns", state->max_error_ns);
    sink.gauge("host.clock.frequency_ppm", state->frequency_ppm);
    return {};
  }

 private:
  const ReadClockState read_;
};

}  // namespace

Result<ClockState> read_clock_state() {
  constexpr double kNsPerUs = 1000;
  constexpr double kFrequencyUnits = 65'536;  // per ppm
  timex clock{};                              // modes 0: it only reads
  const int state = ::adjtimex(&clock);
  if (state < 0) return Error{ErrorCode::kUnavailable, std::string("adjtimex: ") + std::strerror(errno)};
  return ClockState{
      .is_synchronized = state != TIME_ERROR && (clock.status & STA_UNSYNC) == 0,
      .offset_ns = static_cast<double>(clock.offset) * ((clock.status & STA_NANO) != 0 ? 1 : kNsPerUs),
      .estimated_error_ns = static_cast<double>(clock.esterror) * kNsPerUs,
      .max_error_ns = static_cast<double>(clock.maxerror) * kNsPerUs,
      .frequency_ppm = static_cast<double>(clock.freq) / kFrequencyUnits};
}

std::unique_ptr<Collector> make_clock_collector(ReadClockState read) {
  return std::make_unique<ClockCollector>(std::move(read));
}

}  // namespace statmill
