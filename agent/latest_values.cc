#include "agent/latest_values.h"

#include <cmath>

namespace statmill {
namespace {

constexpr std::string_view kPrefix = "statmill.";

}  // namespace

void LatestValues::add_gauge(const HostSeries& series, double value) {
  if (std::isfinite(value)) {
    values_[std::string(kPrefix).append(series.name)] = {
        .family = &series.family, .type = Reading::Type::kGauge, .level = value};
  }
  next_.add_gauge(series, value);
}

void LatestValues::add_total(const HostSeries& series, uint64_t total) {
  values_[std::string(kPrefix).append(series.name)] = {
      .family = &series.family, .type = Reading::Type::kCounter, .count = total};
  next_.add_total(series, total);
}

void LatestValues::add_distribution(const HostSeries& series, const Distribution& total) {
  Value& value = values_[std::string(kPrefix).append(series.name)];
  value = {.family = &series.family,
           .type = Reading::Type::kHistogram,
           .grouping_power = total.grouping_power,
           .sum = total.sum};
  for (size_t i = 0; i < total.counts.size(); ++i) {
    if (total.counts[i] == 0) continue;
    value.buckets.push_back({static_cast<uint32_t>(i), total.counts[i]});
    value.count += total.counts[i];
  }
  next_.add_distribution(series, total);
}

void LatestValues::keep(std::string_view name_prefix) {
  const std::string full = std::string(kPrefix).append(name_prefix);
  for (auto it = before_.lower_bound(full); it != before_.end() && it->first.starts_with(full); ++it)
    values_.insert(*it);
  next_.keep(name_prefix);
}

std::vector<Reading> LatestValues::readings() const {
  std::vector<Reading> out;
  out.reserve(values_.size());
  for (const auto& [name, value] : values_) {
    Reading reading;
    reading.name = name;
    reading.help = value.family->help;
    reading.type = value.type;
    reading.level = value.level;
    reading.count = value.count;
    reading.grouping_power = value.grouping_power;
    reading.sum = value.sum;
    reading.buckets = value.buckets;
    out.push_back(std::move(reading));
  }
  return out;
}

}  // namespace statmill
