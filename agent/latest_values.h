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
  void gauge(std::string_view name, double value) override;
  void total(std::string_view name, uint64_t total) override;
  void distribution(std::string_view name, const Distribution& total) override;
  void keep(std::string_view name_prefix) override;
  void lines(std::string_view lines) override { next_.lines(lines); }
  std::string_view time() const override { return next_.time(); }

  // Returns gauges, counters and histograms named "statmill.host.<name>", sorted by name. Valid until the
  // next collection begins.
  std::vector<Reading> readings() const;

 private:
  struct Value {
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
