// The cpu collector: CPU time by mode since the previous reading, in percent of all CPUs.
#include <numeric>

#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"

namespace statmill {
namespace {

class CpuCollector final : public Collector {
 public:
  explicit CpuCollector(ProcReader& proc) : proc_(proc) {}

  std::string_view name() const override { return "cpu"; }

  CollectorStatus collect(MetricSink& sink) override {
    const std::optional<CpuTimes> before = std::exchange(last_, std::nullopt);
    const Result<std::string_view> text = proc_.read("stat");
    if (!text) return CollectorStatus::unavailable(text.error().message);
    last_ = parse_cpu_times(*text);
    if (!last_) return CollectorStatus::unavailable("stat does not begin with CPU times");
    if (before) report(*before, *last_, sink);
    return {};
  }

 private:
  static void report(const CpuTimes& before, const CpuTimes& now, MetricSink& sink) {
    // A mode's time may decrease (proc(5) says so of iowait); it then counts as 0.
    CpuTimes spent{};
    for (size_t i = 0; i < spent.size(); ++i) spent[i] = now[i] > before[i] ? now[i] - before[i] : 0;
    const uint64_t total = std::accumulate(spent.begin(), spent.end(), uint64_t{0});
    if (total == 0) return;
    const auto percent = [&](uint64_t ticks) {
      return 100.0 * static_cast<double>(ticks) / static_cast<double>(total);
    };
    for (size_t i = 0; i < spent.size(); ++i) {
      const bool backwards = now[i] < before[i];
      if (!backwards) sink.gauge("cpu." + std::string(kCpuModes[i]), percent(spent[i]));
    }
    constexpr size_t kIdle = 3;
    constexpr size_t kIowait = 4;
    static_assert(kCpuModes[kIdle] == "idle" && kCpuModes[kIowait] == "iowait");
    sink.gauge("cpu.busy", percent(total - spent[kIdle] - spent[kIowait]));
  }

  ProcReader& proc_;
  std::optional<CpuTimes> last_;  // nullopt before the first reading
};

}  // namespace

std::unique_ptr<Collector> make_cpu_collector(ProcReader& proc) {
  return std::make_unique<CpuCollector>(proc);
}

}  // namespace statmill
