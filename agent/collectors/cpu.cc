// The cpu collector: CPU time of each CPU by mode, context switches, forks and
// interrupts, and when the host booted, from /proc/stat.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "agent/collectors/collector.h"
#include "agent/collectors/proc_text.h"
#include "bpf/interrupts.h"

namespace statmill {
namespace {

constexpr size_t kCpusMax = 1024;  // with their own series
// The kernel's idle and iowait times may decrease a little (proc(5)); more than this is another start.
constexpr uint64_t kBackwardsTicksMax = 100;
constexpr size_t kIdle = 3;
constexpr size_t kIowait = 4;
static_assert(kCpuModes[kIdle] == "idle" && kCpuModes[kIowait] == "iowait");

class CpuCollector final : public Collector {
 public:
  explicit CpuCollector(ProcReader& proc)
      : proc_(proc), tick_ns_(1'000'000'000 / static_cast<uint64_t>(::sysconf(_SC_CLK_TCK))) {}

  std::string_view name() const override { return "cpu"; }

  CollectorStatus collect(MetricSink& sink) override {
    const Result<std::string_view> text = proc_.read("stat");
    std::optional<StatText> stat;
    if (text) stat = parse_proc_stat(*text);
    if (!stat) {
      last_.reset();
      return CollectorStatus::unavailable(text ? "stat does not begin with CPU times" : text.error().message);
    }
    if (last_) report_busy(*last_, stat->all, sink);
    last_ = stat->all;
    for (const StatText::Cpu& cpu : stat->cpus) report_cpu(cpu, sink);
    report_interrupts(*stat, sink);
    std::string missing;
    if (stat->context_switches) sink.total("host.cpu.context_switches", *stat->context_switches);
    if (stat->forks) sink.total("host.process.forks", *stat->forks);
    if (stat->boot_time_s) sink.gauge("host.system.boot_time_s", static_cast<double>(*stat->boot_time_s));
    if (stat->blocked) sink.gauge("host.load.tasks_blocked", static_cast<double>(*stat->blocked));
    if (!stat->context_switches) missing += " ctxt";
    if (!stat->forks) missing += " processes";
    if (stat->cpus.size() > kCpusMax) missing += " CPUs from 1024 on";
    return missing.empty() ? CollectorStatus{} : CollectorStatus::degraded("stat lacks" + missing);
  }

 private:
  static void report_busy(const CpuTimes& before, const CpuTimes& now, MetricSink& sink) {
    CpuTimes spent{};
    for (size_t i = 0; i < spent.size(); ++i) spent[i] = now[i] > before[i] ? now[i] - before[i] : 0;
    const uint64_t all = std::accumulate(spent.begin(), spent.end(), uint64_t{0});
    if (all == 0) return;
    const uint64_t busy = all - spent[kIdle] - spent[kIowait];
    sink.gauge("host.cpu.busy_percent", 100.0 * static_cast<double>(busy) / static_cast<double>(all));
  }

  void report_cpu(const StatText::Cpu& cpu, MetricSink& sink) {
    if (cpu.number >= kCpusMax) return;
    if (cpu.number >= ticks_.size()) ticks_.resize(cpu.number + 1);
    CpuTimes& known = ticks_[cpu.number];
    const std::string number = std::to_string(cpu.number);
    for (size_t i = 0; i < known.size(); ++i) {
      const uint64_t ticks = cpu.times[i];
      if (ticks >= known[i] || known[i] - ticks > kBackwardsTicksMax) known[i] = ticks;
      sink.total("host.cpu.time_ns", {number, kCpuModes[i]}, known[i] * tick_ns_);
    }
  }

  static void report_interrupts(const StatText& stat, MetricSink& sink) {
    if (stat.interrupts) sink.total("host.interrupts.all", *stat.interrupts);
    uint64_t others = 0;
    for (size_t irq = 0; irq < stat.irqs.size(); ++irq) {
      if (irq >= IRQ_SLOTS - 1) {
        others += stat.irqs[irq];
      } else if (stat.irqs[irq] != 0) {
        sink.total("host.interrupts.count", {std::to_string(irq)}, stat.irqs[irq]);
      }
    }
    if (others != 0) sink.total("host.interrupts.count", {"others"}, others);
    for (size_t i = 0; i < std::min(stat.softirqs.size(), kSoftirqVectors.size()); ++i)
      sink.total("host.softirq.count", {kSoftirqVectors[i]}, stat.softirqs[i]);
  }

  ProcReader& proc_;
  const uint64_t tick_ns_;
  std::optional<CpuTimes> last_;  // of all CPUs; nullopt before the first reading
  std::vector<CpuTimes> ticks_;   // as reported last, by CPU
};

}  // namespace

std::unique_ptr<Collector> make_cpu_collector(ProcReader& proc) {
  return std::make_unique<CpuCollector>(proc);
}

}  // namespace statmill
