// LatestValues: remembers the values of the last collection, for the agent's own /metrics, and passes all
// samples on to another sink.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/collectors/collector.h"
#include "statmill/registry.h"

namespace statmill {

// Confined to one thread.
class LatestValues final : public MetricSink {
 public:
  explicit LatestValues(MetricSink& next) : next_(next) {}  // must outlive it

  // Begins a collection. Values that it does not report are forgotten, except those that it
  // keeps with keep().
  void begin() { before_ = std::exchange(values_, {}); }
  void add_gauge(const HostSeries& series, double value) override;
  void add_total(const HostSeries& series, uint64_t total) override;
  void add_distribution(const HostSeries& series, const Distribution& total) override;
  void keep(std::string_view name_prefix) override;
  void lines(std::string_view lines) override { next_.lines(lines); }
  void begin_collector(std::string_view name) override { next_.begin_collector(name); }

  // Returns gauges, counters and histograms named "statmill.host.block.bytes;device=vda;op=read", those of
  // one family together. Valid until the next collection begins.
  std::vector<Reading> readings() const;

 private:
  struct Value {
    const Family* family = nullptr;
    Reading::Type type = Reading::Type::kGauge;
    double level = 0;
    uint64_t count = 0;
    unsigned grouping_power = 0;  // of a histogram
    uint64_t sum = 0;
    std::vector<Reading::Bucket> buckets = {};
  };
  using Values = std::map<std::string, Value, std::less<>>;

  MetricSink& next_;
  Values values_;  // bounded by what the collectors report in one collection
  Values before_;  // the values of the previous collection
};

}  // namespace statmill
