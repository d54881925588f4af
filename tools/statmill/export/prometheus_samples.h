// What becomes of stored buckets for systems that have one number per time, as Prometheus: means of gauges,
// and running totals of all that adds up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/sample.h"

namespace statmill {

struct PrometheusSample {
  std::string_view name;  // of the metric, with _total, _count or _sum
  bool is_counter = false;
  const std::vector<std::pair<std::string, std::string>>& labels;  // without __name__, ascending by name
  int64_t time_s = 0;
  double value = 0;
};

// Returns the text with `_` for each byte that Prometheus does not accept in a name; `:` only in those of
// metrics.
std::string prometheus_name(std::string_view text, bool is_metric);

// Confined to one thread.
class PrometheusSamples {
 public:
  using Pass = std::function<void(const PrometheusSample& sample)>;

  // Passes on what becomes of a sample. Those of one series come one after another, by time. Before the first
  // total of a series comes a 0, ten seconds earlier.
  void convert(const Sample& sample, const Pass& pass);

 private:
  void begin(const Sample& sample);
  void count(const std::string& name, double& total, double amount, int64_t time_s, const Pass& pass);

  std::string series_;  // of the last sample
  bool is_first_ = true;
  std::vector<std::pair<std::string, std::string>> labels_;
  std::string metric_;
  std::string total_name_;
  std::string count_name_;
  std::string sum_name_;
  double total_ = 0;
  double count_ = 0;
};

}  // namespace statmill
