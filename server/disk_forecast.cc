#include "server/disk_forecast.h"

#include <algorithm>

namespace statmill {
namespace {

double days_of(Duration time) { return std::chrono::duration<double, std::ratio<86'400>>(time).count(); }

}  // namespace

std::optional<double> days_until_grown(std::vector<Growth> parts, double bytes) {
  std::erase_if(parts, [](const Growth& part) { return part.bytes_per_day <= 0 || part.days <= 0; });
  std::ranges::sort(parts, {}, &Growth::days);
  double per_day = 0;
  for (const Growth& part : parts) per_day += part.bytes_per_day;
  double passed = 0;
  for (const Growth& part : parts) {
    const double grown = per_day * (part.days - passed);
    if (grown >= bytes) return passed + bytes / per_day;
    bytes -= grown;
    passed = part.days;
    per_day -= part.bytes_per_day;
  }
  return std::nullopt;
}

void DiskForecast::tick(const StoreStats& stats, SteadyTime now) {
  if (stats.tiers.empty()) return;  // the store is closed
  MutexLock lock(mutex_);
  if (!marks_.empty() && now < marks_.back().time + kInterval) return;
  while (!marks_.empty() && marks_.front().time + kWindow < now) marks_.pop_front();
  marks_.push_back({now, stats.tiers});
}

std::optional<DiskForecast::Observed> DiskForecast::observed() const {
  MutexLock lock(mutex_);
  if (marks_.empty()) return std::nullopt;
  const SteadyTime begin = marks_.front().time;
  Observed out{std::chrono::floor<Duration>(marks_.back().time - begin), {}};
  if (out.over < kObservedMin) return std::nullopt;
  const auto count = static_cast<double>(marks_.size());
  double mean_days = 0;
  for (const Mark& mark : marks_)
    mean_days += days_of(std::chrono::floor<Duration>(mark.time - begin)) / count;
  for (size_t i = 0; i < marks_.back().tiers.size(); ++i) {
    double products = 0;
    double squares = 0;
    for (const Mark& mark : marks_) {
      const double days = days_of(std::chrono::floor<Duration>(mark.time - begin)) - mean_days;
      products += days * static_cast<double>(mark.tiers[i].bytes_on_disk);
      squares += days * days;
    }
    out.tiers.push_back({marks_.back().tiers[i].tier, products / squares});
  }
  return out;
}

}  // namespace statmill
