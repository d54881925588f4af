#include "agent/self_report.h"

#include <unistd.h>

#include <limits>
#include <utility>

#include "agent/collectors/proc_text.h"
#include "base/number_text.h"
#include "base/thread_times.h"

namespace statmill {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void SelfReport::report(SteadyTime now, MetricSink& sink) {
  sink.increment("host.up", 1);
  sink.gauge("host.agent.cpu_percent", cpu_percent(now));
  sink.gauge("host.agent.rss_bytes", rss_bytes());
  // They count from the start of the agent, so what came before the first report is not lost.
  for (const Total& total : totals_) sink.total(total.family, has_reported_ ? total.read() : 0);
  has_reported_ = true;
  for (const Level& gauge : gauges_) sink.gauge(gauge.family, gauge.read());
}

double SelfReport::cpu_percent(SteadyTime now) {
  // Exact to the nanosecond. /proc/self/stat counts in ticks of 10 ms, which is ten times our CPU budget per
  // second.
  const CpuReading reading{now, std::chrono::nanoseconds(process_cpu_ns())};
  const std::optional<CpuReading> before = std::exchange(last_, reading);
  if (!before || before->at >= now) return kUnknown;
  const std::chrono::duration<double> used = reading.used - before->used;
  const std::chrono::duration<double> elapsed = now - before->at;
  return 100.0 * (used / elapsed);
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
