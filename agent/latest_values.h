// LatestValues: what the collectors said last, for whoever asks the agent itself; passed on to where samples
// go.
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

  // A collection begins: what it does not say is no more, but for what it keeps.
  void begin() { before_ = std::exchange(values_, {}); }
  void gauge(std::string_view name, double value) override;
  void total(std::string_view name, uint64_t total) override;
  void distribution(std::string_view name, const Distribution& total) override;
  void keep(std::string_view beginning) override;
  void lines(std::string_view lines) override { next_.lines(lines); }
  std::string_view time() const override { return next_.time(); }

  // Gauges, counters and histograms "statmill.host.<name>", by name; valid until the next collection begins.
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
  Values before_;  // of the collection before
};

}  // namespace statmill
