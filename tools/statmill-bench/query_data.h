// Samples that the suite `query` stores, and the numbers that answers over them must have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "proto/sample.h"
#include "tools/statmill-bench/workload.h"

namespace statmill {

inline constexpr int64_t kQuerySlot_s = 10;

struct QueryName {
  std::string metric;
  std::vector<std::pair<std::string, std::string>> labels = {};  // ascending by name

  std::string canonical() const;   // metric;a=x;b=y
  std::string prometheus() const;  // metric{a="x",b="y"}
};

struct QueryDataOptions {
  Kind kind = Kind::kGauge;
  size_t series = 0;
  std::function<QueryName(size_t series)> name;
  int64_t until_s = 0;  // a multiple of kQuerySlot_s
  size_t slots = 1;     // of which the last ends at until_s
  size_t samples_per_slot = 1;
};

// The samples of some series: gauges that walk in steps of two decimals, counts of events, or latencies whose
// logarithm is normal. Each sample is in the middle of its slot, so Prometheus and statmill have the same
// samples in each window of whole slots. The same options give the same samples.
class QueryData {
 public:
  explicit QueryData(QueryDataOptions options);

  size_t series() const { return options_.series; }
  size_t slots() const { return options_.slots; }
  size_t samples() const { return values_.size(); }
  size_t samples_per_slot() const { return options_.samples_per_slot; }
  int64_t until_s() const { return options_.until_s; }
  int64_t begin_s() const { return until_s() - static_cast<int64_t>(slots()) * kQuerySlot_s; }

  double value(size_t series, size_t slot, size_t sample = 0) const {
    return static_cast<double>(values_[index(series, slot) + sample]) / 100;
  }
  // These return sums over all series.
  double sum() const;
  double sum_of_slot(size_t slot) const;

  // The samples of slots [first, end) as statmill's lines, in the order of their times, in one pass.
  Stream stream(size_t first, size_t end) const;
  // Appends a line "name value time" per sample of a series, or with the total so far in place of the value
  // if it counts events. `per_s`: units of time in a second.
  void append_prometheus(std::string& out, size_t series, int64_t per_s) const;

 private:
  size_t index(size_t series, size_t slot) const {
    return (series * options_.slots + slot) * options_.samples_per_slot;
  }
  int64_t time_s(size_t slot) const {
    return begin_s() + static_cast<int64_t>(slot) * kQuerySlot_s + kQuerySlot_s / 2;
  }

  const QueryDataOptions options_;
  std::vector<std::string> names_;  // canonical, by series
  std::vector<int32_t> values_;     // by series, slot and sample, in hundredths
};

}  // namespace statmill
