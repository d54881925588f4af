#include "agent/self_report.h"

#include <time.h>
#include <unistd.h>

#include <deque>
#include <limits>
#include <utility>

#include "agent/collectors/proc_text.h"
#include "base/number_text.h"

namespace statmill {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Exact to the nanosecond. /proc/self/stat counts in ticks of 10 ms, which is ten times our CPU
// budget per second.
std::chrono::nanoseconds cpu_time_used() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace

SelfReport::SelfReport(std::string prefix, ProcReader& proc)
    : prefix_(std::move(prefix) + "."), proc_(proc), cpu_percent_(kUnknown) {
  registry_.gauge_fn(prefix_ + "agent.cpu_percent", "CPU use of the agent, of one CPU.", {},
                     [this] { return cpu_percent_; });
  registry_.gauge_fn(prefix_ + "agent.rss_bytes", "Resident memory of the agent.", {},
                     [this] { return rss_bytes(); });
}

void SelfReport::add_total(std::string_view name, std::string_view help, std::function<uint64_t()> read) {
  registry_.counter_fn(prefix_ + std::string(name), help, {}, std::move(read));
}

void SelfReport::add_gauge(std::string_view name, std::string_view help, std::function<double()> read) {
  registry_.gauge_fn(prefix_ + std::string(name), help, {}, std::move(read));
}

void SelfReport::report(SteadyTime now, MetricSink& sink) {
  measure_cpu(now);
  lines_.resend_families_hourly(now.time_since_epoch());
  sink.lines(lines_.make(registry_.read(), sink.time()));
}

std::string SelfReport::prometheus_text() const {
  std::vector<Reading> readings = registry_.read();
  std::deque<std::string> names;  // a deque does not move its elements
  for (Reading& reading : readings) {
    reading.name = names.emplace_back("statmill.host." + std::string(reading.name.substr(prefix_.size())));
  }
  return statmill::prometheus_text(readings);
}

void SelfReport::measure_cpu(SteadyTime now) {
  const CpuReading reading{now, cpu_time_used()};
  const std::optional<CpuReading> before = std::exchange(last_, reading);
  cpu_percent_ = kUnknown;
  if (!before || before->at >= now) return;
  const std::chrono::duration<double> used = reading.used - before->used;
  const std::chrono::duration<double> elapsed = now - before->at;
  cpu_percent_ = 100.0 * (used / elapsed);
}

double SelfReport::rss_bytes() {
  const Result<std::string_view> statm = proc_.read("self/statm");
  if (!statm) return kUnknown;
  std::string_view words = *statm;
  next_word(words);  // size
  const std::optional<uint64_t> pages = parse_as<uint64_t>(next_word(words));
  return pages ? static_cast<double>(*pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)) : kUnknown;
}

}  // namespace statmill
