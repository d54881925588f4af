// The gpu collector: how busy GPUs are, their memory, heat, power, clocks and errors. NVIDIA's management
// library tells of those of NVIDIA; for those of AMD the kernel has files below /sys/class/drm.
//
// A GPU that hangs keeps a call for as long as it likes: a thread reads, once per 10 s (slow_collector.h). A
// GPU is known by its address on the PCI bus, which stays the same over boots, as in hwmon.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/collectors/host_collectors.h"
#include "agent/collectors/nvml.h"
#include "agent/collectors/slow_collector.h"
#include "agent/collectors/sys_reader.h"
#include "agent/collectors/sys_status.h"

namespace statmill {
namespace {

constexpr size_t kCardsMax = 64;

class GpuSource final : public SlowSource {
 public:
  GpuSource(std::string sys, std::string library) : sys_(std::move(sys)), library_(std::move(library)) {}

  std::string_view name() const override { return "gpu"; }

  void read() override {
    gpus_.clear();
    fault_.clear();
    is_over_limit_ = false;
    read_cards();
    read_nvml();
  }

  CollectorStatus report(MetricSink& sink) override {
    for (const GpuReading& gpu : gpus_) report_gpu(gpu, sink);
    if (!fault_.empty())
      return gpus_.empty() ? CollectorStatus::unavailable(fault_) : CollectorStatus::degraded(fault_);
    return sys_status(sys_, !gpus_.empty(), is_over_limit_ ? "only the first 64 GPUs" : "");
  }

  void keep(MetricSink& sink) const override { sink.keep("host.gpu."); }
  std::string waits_for() const override {
    const std::string path = sys_.waits_for();
    return path.empty() ? library_ : path;
  }

 private:
  // Files of the driver amdgpu; those of other vendors have none of these.
  void read_cards() {
    sys_.forget_refused();
    std::set<std::string> addresses;  // card0 and its outputs, as card0-DP-1, are one device
    for (const std::string& card : sys_.names("class/drm", "card").value_or(std::vector<std::string>())) {
      if (card.find('-') != std::string::npos) continue;
      const std::string folder = "class/drm/" + card + "/device";
      GpuReading gpu;
      gpu.busy_percent = sys_.count(folder + "/gpu_busy_percent");
      gpu.memory_bytes = sys_.count(folder + "/mem_info_vram_used");
      if (!gpu.busy_percent && !gpu.memory_bytes) continue;
      gpu.memory_busy_percent = sys_.count(folder + "/mem_busy_percent");
      gpu.memory_total_bytes = sys_.count(folder + "/mem_info_vram_total");
      gpu.address = sys_.link_target(folder);
      if (gpu.address.empty()) gpu.address = card;
      if (addresses.insert(gpu.address).second) gpus_.push_back(std::move(gpu));
      is_over_limit_ = gpus_.size() > kCardsMax;
      if (is_over_limit_) return gpus_.pop_back();
    }
  }

  void read_nvml() {
    if (nvml_ == nullptr) {
      auto opened = Nvml::open(library_);
      if (!opened) {
        if (opened.error().code != ErrorCode::kNotFound) fault_ = opened.error().message;
        return;
      }
      nvml_ = *std::move(opened);
    }
    auto found = nvml_->read();
    if (!found) {
      fault_ = found.error().message;
      nvml_.reset();
      return;
    }
    for (GpuReading& gpu : *found) gpus_.push_back(std::move(gpu));
  }

  static void report_gpu(const GpuReading& gpu, MetricSink& sink) {
    const auto gauge = [&](GaugeFamily family, std::optional<uint64_t> value, double factor = 1) {
      if (value) sink.gauge(family, {gpu.address, gpu.model}, static_cast<double>(*value) * factor);
    };
    gauge("host.gpu.busy_percent", gpu.busy_percent);
    gauge("host.gpu.memory_busy_percent", gpu.memory_busy_percent);
    gauge("host.gpu.memory_bytes", gpu.memory_bytes);
    gauge("host.gpu.memory_total_bytes", gpu.memory_total_bytes);
    gauge("host.gpu.temperature_celsius", gpu.temperature_celsius);
    gauge("host.gpu.power_watts", gpu.power_mw, 1e-3);
    for (size_t i = 0; i < gpu.clock_mhz.size(); ++i) {
      if (gpu.clock_mhz.at(i))
        sink.gauge("host.gpu.clock_hertz", {GpuReading::kClocks.at(i), gpu.address, gpu.model},
                   static_cast<double>(*gpu.clock_mhz.at(i)) * 1e6);
    }
    if (gpu.energy_mj) sink.total("host.gpu.energy_uj", {gpu.address, gpu.model}, *gpu.energy_mj * 1000);
    for (size_t i = 0; i < gpu.memory_errors.size(); ++i) {
      if (gpu.memory_errors.at(i))
        sink.total("host.gpu.memory_errors", {gpu.address, gpu.model, GpuReading::kErrors.at(i)},
                   *gpu.memory_errors.at(i));
    }
  }

  SysReader sys_;
  const std::string library_;
  std::unique_ptr<Nvml> nvml_;  // null while there is no library, or no driver
  std::vector<GpuReading> gpus_;
  std::string fault_;
  bool is_over_limit_ = false;
};

}  // namespace

std::unique_ptr<Collector> make_gpu_collector(const HostSources& sources, std::string_view nvml_library) {
  return make_slow_collector(std::make_unique<GpuSource>(sources.sys, std::string(nvml_library)),
                             sources.clock, sources.log);
}

}  // namespace statmill
