// See self_report.h.
#include "agent/self_report.h"

#include <time.h>
#include <unistd.h>

#include <utility>

#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

// Exact to the nanosecond; /proc/self/stat counts in ticks of 10 ms, ten times our budget per second.
std::chrono::nanoseconds cpu_time_used() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace

void SelfReport::report(SteadyTime now, SampleSink& sink) {
  const CpuReading reading{now, cpu_time_used()};
  const std::optional<CpuReading> before = std::exchange(last_, reading);
  if (before && before->at < now) {
    const std::chrono::duration<double> used = reading.used - before->used;
    const std::chrono::duration<double> elapsed = now - before->at;
    sink.gauge("agent.cpu_percent", 100.0 * (used / elapsed));
  }
  const Result<std::string_view> statm = proc_.read("self/statm");
  if (!statm) return;
  std::string_view words = *statm;
  take_word(words);  // size
  if (const std::optional<uint64_t> pages = whole_number(take_word(words))) {
    sink.gauge("agent.rss_bytes", static_cast<double>(*pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  }
}

}  // namespace statmill
