// RecordingSink: records what a collector reports, for tests to check.
#pragma once

#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "agent/collectors/collector.h"

namespace statmill {

struct RecordedDistribution {
  std::vector<uint64_t> counts;  // by bucket
  uint64_t sum = 0;

  uint64_t count() const { return std::accumulate(counts.begin(), counts.end(), uint64_t{0}); }
};

struct RecordingSink : MetricSink {
  void add_gauge(const HostSeries& series, double value) override {
    gauges[std::string(series.name)] = value;
  }
  void add_total(const HostSeries& series, uint64_t total) override {
    totals[std::string(series.name)] = total;
  }
  void add_distribution(const HostSeries& series, const Distribution& total) override {
    RecordedDistribution& recorded = distributions[std::string(series.name)];
    recorded = {{total.counts.begin(), total.counts.end()}, total.sum};
    if (recorded.counts.empty())
      recorded.counts.resize(size_t{64 - total.grouping_power + 1} << total.grouping_power);
  }
  void keep(std::string_view name_prefix) override { kept = name_prefix; }
  void lines(std::string_view lines) override { text += lines; }

  std::map<std::string, double> gauges;
  std::map<std::string, uint64_t> totals;
  std::map<std::string, RecordedDistribution> distributions;
  std::string kept;
  std::string text;  // all lines
};

}  // namespace statmill
