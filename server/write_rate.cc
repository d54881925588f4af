#include "server/write_rate.h"

namespace statmill {
namespace {

constexpr double kBytesPerTerabyte = 1e12;

}  // namespace

void WriteRate::tick(const StoreStats& stats, const Registry& registry, SteadyTime now) {
  {
    MutexLock lock(mutex_);
    if (!marks_.empty() && now < marks_.back().time + kInterval) return;
  }
  Mark mark{now, stats.written, 0, std::nullopt};
  for (const Reading& reading : registry.read()) {
    if (reading.path() == "statmill.samples_accepted") mark.samples += reading.count;
    if (reading.name == "process.disk_written_bytes") mark.disk_bytes = reading.count;
  }
  MutexLock lock(mutex_);
  while (!marks_.empty() && marks_.front().time + kWindow < now) marks_.pop_front();
  marks_.push_back(mark);
}

std::optional<WriteRate::Observed> WriteRate::observed() const {
  MutexLock lock(mutex_);
  if (marks_.empty()) return std::nullopt;
  const Mark& first = marks_.front();
  const Mark& last = marks_.back();
  Observed out;
  out.over = std::chrono::floor<Duration>(last.time - first.time);
  if (out.over < kObservedMin) return std::nullopt;
  out.files = {last.files.log - first.files.log, last.files.flush - first.files.flush,
               last.files.compaction - first.files.compaction};
  out.samples = last.samples - first.samples;
  if (first.disk_bytes && last.disk_bytes) {
    const double days = std::chrono::duration<double, std::ratio<86'400>>(out.over).count();
    out.disk_bytes_per_day = static_cast<double>(*last.disk_bytes - *first.disk_bytes) / days;
    if (rated_tb_ > 0 && *out.disk_bytes_per_day > 0)
      out.life_days = static_cast<double>(rated_tb_) * kBytesPerTerabyte / *out.disk_bytes_per_day;
  }
  return out;
}

}  // namespace statmill
