// The sched collector: how long tasks waited for a CPU, stayed on it and stayed off it in the interval, and
// why they left it.
#include <cmath>
#include <numeric>
#include <optional>

#include "agent/collectors/collector.h"

namespace statmill {
namespace {

// In microseconds: the last value of the bucket that holds the q-quantile, at most 1/8 above it. q in (0, 1].
// Requires: count > 0, the sum of the buckets.
double quantile_us(const H2Histogram& histogram, uint64_t count, double q) {
  const auto rank = static_cast<uint64_t>(std::ceil(q * static_cast<double>(count)));
  uint64_t below = 0;
  uint32_t last = 0;
  for (uint32_t i = 0; i < histogram.size(); ++i) {
    if (histogram[i] == 0) continue;
    last = i;
    below += histogram[i];
    if (below >= rank) break;
  }
  return static_cast<double>(h2_bucket_last(last)) / 1000.0;
}

class SchedCollector final : public Collector {
 public:
  explicit SchedCollector(SchedProbeLoader load) : load_(std::move(load)) {}

  std::string_view name() const override { return "sched"; }

  CollectorStatus collect(SampleSink& sink) override {
    if (!probe_) {
      Result<std::unique_ptr<SchedProbe>> loaded = load_();
      if (!loaded) return CollectorStatus::unavailable(loaded.error().message);
      probe_ = std::move(*loaded);
    }
    const SchedTotals now = probe_->read();
    sink.total("sched.switches.voluntary", now.switches_voluntary);
    sink.total("sched.switches.involuntary", now.switches_involuntary);
    sink.total("sched.discarded", now.discarded);
    const SchedTotals before = last_.value_or(now);
    report("sched.runqueue_wait.", before.runqueue_wait, now.runqueue_wait, sink);
    report("sched.off_cpu.", before.off_cpu, now.off_cpu, sink);
    report("sched.on_cpu.", before.on_cpu, now.on_cpu, sink);
    last_ = now;
    return {};
  }

 private:
  // What came between two readings; no quantiles when nothing did.
  static void report(const std::string& base, const H2Histogram& before, const H2Histogram& now,
                     SampleSink& sink) {
    H2Histogram between;
    for (size_t i = 0; i < between.size(); ++i) between[i] = now[i] - before[i];
    sink.total(base + "count", std::accumulate(now.begin(), now.end(), uint64_t{0}));
    const uint64_t count = std::accumulate(between.begin(), between.end(), uint64_t{0});
    if (count == 0) return;
    sink.gauge(base + "p50_us", quantile_us(between, count, 0.5));
    sink.gauge(base + "p99_us", quantile_us(between, count, 0.99));
    sink.gauge(base + "max_us", quantile_us(between, count, 1));
  }

  const SchedProbeLoader load_;
  std::unique_ptr<SchedProbe> probe_;
  std::optional<SchedTotals> last_;
};

}  // namespace

std::unique_ptr<Collector> make_sched_collector(SchedProbeLoader load) {
  return std::make_unique<SchedCollector>(std::move(load));
}

}  // namespace statmill
