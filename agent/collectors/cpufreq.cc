// The cpufreq collector: the clock of each CPU with its limits, and how often cores and packages were slowed
// down because they were hot, from /sys/devices/system/cpu.
//
// Before Linux 5.19, reading the clock of an idle x86 CPU wakes it up and sleeps for 10 ms. So a thread reads
// them, once per 10 s (slow_collector.h). Which CPUs there are and their limits are read once per minute.
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/proc_text.h"
#include "agent/collectors/slow_collector.h"
#include "agent/collectors/sys_reader.h"
#include "agent/collectors/sys_status.h"
#include "base/number_text.h"

namespace statmill {
namespace {

constexpr size_t kCpusWithClockMax = 1024;  // with series
constexpr unsigned kReadingsPerPolicyList = 6;
constexpr double kHertzPerKilohertz = 1000;
constexpr uint64_t kNsPerMs = 1'000'000;  // in ns
constexpr std::string_view kCpuFolder = "devices/system/cpu/";

// The CPUs whose clock is set together.
struct ClockPolicy {
  std::string folder;
  std::vector<uint64_t> cpus;
  std::optional<uint64_t> now_khz;
  std::optional<uint64_t> min_khz;
  std::optional<uint64_t> max_khz;
};

struct ThrottleCounts {
  std::optional<uint64_t> count;
  std::optional<uint64_t> time_ms;  // old kernels do not report it
};
struct CorePlace {
  std::string package;
  std::string core;  // a number within the package
  bool operator<(const CorePlace& other) const {
    return package != other.package ? package < other.package : core < other.core;
  }
};

class CpufreqSource final : public SlowSource {
 public:
  explicit CpufreqSource(std::string sys) : sys_(std::move(sys)) {}

  std::string_view name() const override { return "cpufreq"; }

  void read() override {
    sys_.forget_refused();
    if (readings_++ % kReadingsPerPolicyList == 0) list_policies();
    for (ClockPolicy& policy : policies_) policy.now_khz = sys_.count(policy.folder + "scaling_cur_freq");
    read_throttles();
  }

  CollectorStatus report(MetricSink& sink) override {
    for (const ClockPolicy& policy : policies_) {
      for (const uint64_t cpu : policy.cpus) report_clock(std::to_string(cpu), policy, sink);
    }
    for (const auto& [place, throttles] : cores_) {
      if (throttles.count)
        sink.total("host.cpu.core_throttles", {place.core, place.package}, *throttles.count);
      if (throttles.time_ms)
        sink.total("host.cpu.core_throttled_ns", {place.core, place.package}, *throttles.time_ms * kNsPerMs);
    }
    for (const auto& [package, throttles] : packages_) {
      if (throttles.count) sink.total("host.cpu.package_throttles", {package}, *throttles.count);
      if (throttles.time_ms)
        sink.total("host.cpu.package_throttled_ns", {package}, *throttles.time_ms * kNsPerMs);
    }
    return sys_status(sys_, !policies_.empty() || !cores_.empty(),
                      left_out_ ? "only the first 1024 CPUs" : "");
  }

  void keep(MetricSink& sink) const override {
    sink.keep("host.cpu.frequency_");
    sink.keep("host.cpu.core_throttle");
    sink.keep("host.cpu.package_throttle");
  }
  std::string waits_for() const override { return sys_.waits_for(); }

 private:
  void list_policies() {
    policies_.clear();
    left_out_ = false;
    const std::string all = std::string(kCpuFolder) + "cpufreq/";
    for (const std::string& name : sys_.names(all, "policy").value_or(std::vector<std::string>())) {
      const std::string folder = all + name + "/";
      std::vector<uint64_t> cpus = cpus_of(folder);
      if (cpus.empty()) continue;  // all are offline
      policies_.push_back({.folder = folder,
                           .cpus = std::move(cpus),
                           .now_khz = {},
                           .min_khz = sys_.count(folder + "scaling_min_freq"),
                           .max_khz = sys_.count(folder + "scaling_max_freq")});
    }
  }

  // Those of a policy that are online, up to the limit.
  std::vector<uint64_t> cpus_of(const std::string& folder) {
    std::vector<uint64_t> cpus;
    std::string_view line = sys_.text(folder + "affected_cpus").value_or("");
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      const std::optional<uint64_t> cpu = parse_as<uint64_t>(word);
      if (cpu && *cpu < kCpusWithClockMax) cpus.push_back(*cpu);
      if (cpu && *cpu >= kCpusWithClockMax) left_out_ = true;
    }
    return cpus;
  }

  // The threads of a core count the same, and so do the cores of a package: each is read once.
  void read_throttles() {
    cores_.clear();
    packages_.clear();
    for (const std::string& name : sys_.names(kCpuFolder, "cpu").value_or(std::vector<std::string>())) {
      const std::optional<uint64_t> cpu = parse_as<uint64_t>(std::string_view(name).substr(3));
      if (!cpu) continue;
      if (*cpu >= kCpusWithClockMax) left_out_ = true;
      const CorePlace* const place = *cpu < kCpusWithClockMax ? place_of(*cpu) : nullptr;
      if (place == nullptr || cores_.contains(*place)) continue;
      const std::string folder = std::string(kCpuFolder) + name + "/thermal_throttle/";
      const ThrottleCounts core = {sys_.count(folder + "core_throttle_count"),
                                   sys_.count(folder + "core_throttle_total_time_ms")};
      if (!core.count) continue;  // not x86, offline, or a guest
      cores_[*place] = core;
      if (packages_.contains(place->package)) continue;
      packages_[place->package] = {sys_.count(folder + "package_throttle_count"),
                                   sys_.count(folder + "package_throttle_total_time_ms")};
    }
  }

  // Where the CPU is; null while it is offline. It does not change, so it is read once.
  const CorePlace* place_of(uint64_t cpu) {
    const auto known = places_.find(cpu);
    if (known != places_.end()) return &known->second;
    const std::string folder = std::string(kCpuFolder) + "cpu" + std::to_string(cpu) + "/topology/";
    const std::string package(sys_.text(folder + "physical_package_id").value_or(""));
    const std::string core(sys_.text(folder + "core_id").value_or(""));
    if (package.empty() || core.empty()) return nullptr;
    return &places_.emplace(cpu, CorePlace{package, core}).first->second;
  }

  static void report_clock(const std::string& cpu, const ClockPolicy& policy, MetricSink& sink) {
    const auto hertz = [](uint64_t khz) { return static_cast<double>(khz) * kHertzPerKilohertz; };
    if (policy.now_khz.value_or(0) != 0)  // some drivers say 0 if they do not know
      sink.gauge("host.cpu.frequency_hertz", {cpu}, hertz(*policy.now_khz));
    if (policy.min_khz) sink.gauge("host.cpu.frequency_min_hertz", {cpu}, hertz(*policy.min_khz));
    if (policy.max_khz) sink.gauge("host.cpu.frequency_max_hertz", {cpu}, hertz(*policy.max_khz));
  }

  SysReader sys_;
  std::map<uint64_t, CorePlace> places_;  // at most kCpusWithClockMax
  unsigned readings_ = 0;
  std::vector<ClockPolicy> policies_;
  std::map<CorePlace, ThrottleCounts> cores_;
  std::map<std::string, ThrottleCounts> packages_;
  bool left_out_ = false;
};

}  // namespace

std::unique_ptr<Collector> make_cpufreq_collector(const HostSources& sources) {
  return make_slow_collector(std::make_unique<CpufreqSource>(sources.sys), sources.clock, sources.log);
}

}  // namespace statmill
