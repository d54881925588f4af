#include "agent/collectors/slow_collector.h"

#include <utility>

#include "agent/collectors/background_work.h"
#include "agent/collectors/slot_cadence.h"

namespace statmill {
namespace {

class SlowCollector final : public Collector {
 public:
  SlowCollector(std::unique_ptr<SlowSource> source, const Clock& clock, Log& log, SlowOptions options)
      : source_(std::move(source)),
        clock_(clock),
        options_(options),
        work_(log, std::string(source_->name()), [this] { source_->read(); }) {}

  std::string_view name() const override { return source_->name(); }
  uint64_t background_cpu_ns() const override { return work_.cpu_ns(); }

  CollectorStatus collect(MetricSink& sink) override {
    Duration patience{0};
    if (!is_reading_) {
      if (!cadence_.is_due(clock_.wall()) && !options_.is_each_time) {
        source_->keep(sink);
        return status_;
      }
      begun_at_ = clock_.steady();
      is_reading_ = true;
      patience = has_read_ ? kSlowPatience : kSlowFirstPatience;
      work_.begin();
    }
    if (!work_.wait(patience)) return wait_longer(sink);
    is_reading_ = false;
    has_read_ = true;
    return status_ = source_->report(sink);
  }

 private:
  CollectorStatus wait_longer(MetricSink& sink) {
    if (clock_.steady() - begun_at_ >= kSlowOverdue)
      return CollectorStatus::degraded("waits for " + source_->waits_for());
    source_->keep(sink);
    return has_read_ ? status_ : CollectorStatus::degraded("the first reading has not ended");
  }

  const std::unique_ptr<SlowSource> source_;
  const Clock& clock_;
  const SlowOptions options_;
  SlotCadence cadence_;
  CollectorStatus status_;  // of the last reading that ended
  bool is_reading_ = false;
  bool has_read_ = false;
  SteadyTime begun_at_{};  // the reading under way
  BackgroundWork work_;    // last: its thread uses the source
};

}  // namespace

std::unique_ptr<Collector> make_slow_collector(std::unique_ptr<SlowSource> source, const Clock& clock,
                                               Log& log, SlowOptions options) {
  return std::make_unique<SlowCollector>(std::move(source), clock, log, options);
}

}  // namespace statmill
