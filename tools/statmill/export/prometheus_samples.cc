#include "tools/statmill/export/prometheus_samples.h"

#include <algorithm>

#include "proto/prometheus/labels_name.h"

namespace statmill {
namespace {

constexpr int64_t kBeforeFirst_s = 10;

}  // namespace

std::string prometheus_name(std::string_view text, bool is_metric) {
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  std::string out;
  if (!text.empty() && is_digit(text.front())) out.push_back('_');
  for (const char c : text) {
    const bool is_kept = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || is_digit(c) || c == '_' ||
                         (is_metric && c == ':');
    out.push_back(is_kept ? c : '_');
  }
  return out;
}

void PrometheusSamples::begin(const Sample& sample) {
  series_ = sample.name;
  is_first_ = true;
  total_ = count_ = 0;
  labels_.clear();
  for (const auto& [name, value] : labels_of(sample.name)) {
    if (name == kNameLabel) {
      metric_ = prometheus_name(value, true);
    } else {
      labels_.emplace_back(prometheus_name(name, false), value);
    }
  }
  std::ranges::sort(labels_);
  total_name_ = metric_.ends_with("_total") || metric_.ends_with("_bucket") || metric_.ends_with("_count") ||
                        metric_.ends_with("_sum")
                    ? metric_
                    : metric_ + "_total";
  count_name_ = metric_ + "_count";
  sum_name_ = metric_ + "_sum";
}

void PrometheusSamples::count(const std::string& name, double& total, double amount, int64_t time_s,
                              const Pass& pass) {
  if (is_first_) pass({name, true, labels_, time_s - kBeforeFirst_s, 0});
  total += amount;
  pass({name, true, labels_, time_s, total});
}

void PrometheusSamples::convert(const Sample& sample, const Pass& pass) {
  if (sample.name != series_) begin(sample);
  const auto samples = static_cast<double>(sample.ready == nullptr ? 1 : sample.ready->count);
  const double sum = sample.value.value();
  if (adds_up(sample.kind)) {
    count(total_name_, total_, sum, *sample.time_s, pass);
  } else if (sample.kind == Kind::kDistribution) {
    count(count_name_, count_, samples, *sample.time_s, pass);
    count(sum_name_, total_, sum, *sample.time_s, pass);
  } else {
    pass({metric_, false, labels_, *sample.time_s, sum / samples});
  }
  is_first_ = false;
}

}  // namespace statmill
