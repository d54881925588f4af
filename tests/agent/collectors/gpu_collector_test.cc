// The gpu collector with files like those of amdgpu, and with a library in place of NVIDIA's.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "agent/collectors/host_collectors.h"
#include "tests/agent/collectors/sys_fixture.h"
#include "tests/agent/collectors/without_file_rights.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::IsEmpty;
using testing::Key;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;
using Level = CollectorStatus::Level;

class GpuCollectorTest : public SysFixture {
 protected:
  GpuCollectorTest() {
    EXPECT_NE(library_, nullptr) << ::dlerror();
    set_nvml(0, 0);
  }
  ~GpuCollectorTest() override { ::dlclose(library_); }

  // What the fake library answers: nvmlInit(), nvmlDeviceGetCount().
  void set_nvml(int init, int count) { symbol<void(int, int)>("fake_nvml_set")(init, count); }
  int starts() { return symbol<int()>("fake_nvml_starts")(); }
  template <class Function>
  Function* symbol(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(library_, name));
  }
  void write_card(const std::string& card, const std::string& address) {
    const std::string device = "devices/pci/" + address;
    link("class/drm/" + card + "/device", "../../../" + device);
    write(device + "/gpu_busy_percent", "12\n");
    write(device + "/mem_busy_percent", "3\n");
    write(device + "/mem_info_vram_used", "1048576\n");
    write(device + "/mem_info_vram_total", "8589934592\n");
  }
  // Collects until the reading of the slot is reported.
  CollectorStatus collect_all(Collector& gpu) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    CollectorStatus status = collect(gpu);
    while (sink_.kept == "host.gpu." && std::chrono::steady_clock::now() < limit) {
      sink_ = {};
      status = gpu.collect(sink_);
    }
    return status;
  }

  void* const library_ = ::dlopen(STATMILL_FAKE_NVML, RTLD_NOW | RTLD_LOCAL);
  std::unique_ptr<Collector> none_ = make_gpu_collector(sources(), "libstatmill-none.so.1");
  std::unique_ptr<Collector> nvidia_ = make_gpu_collector(sources(), STATMILL_FAKE_NVML);
};

TEST_F(GpuCollectorTest, ReadsTheFilesOfAmdgpu) {
  write_card("card1", "0000:03:00.0");
  link("class/drm/card1-DP-1/device", "../card1");
  link("class/drm/card0/device", "../../../devices/pci/0000:00:02.0");  // no amdgpu
  write("devices/pci/0000:00:02.0/vendor", "0x8086\n");
  EXPECT_EQ(collect_all(*none_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges,
              UnorderedElementsAre(Pair("host.gpu.busy_percent;gpu=0000:03:00.0", 12),
                                   Pair("host.gpu.memory_busy_percent;gpu=0000:03:00.0", 3),
                                   Pair("host.gpu.memory_bytes;gpu=0000:03:00.0", 1048576),
                                   Pair("host.gpu.memory_total_bytes;gpu=0000:03:00.0", 8589934592)));
}

TEST_F(GpuCollectorTest, AsksTheLibraryOfNvidia) {
  EXPECT_EQ(collect_all(*nvidia_), CollectorStatus{});
  const std::string first = ";gpu=0000:3b:00.0;model=NVIDIA%20A100";
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.gpu.busy_percent" + first, 87)),
                                  Contains(Pair("host.gpu.memory_busy_percent" + first, 40)),
                                  Contains(Pair("host.gpu.memory_bytes" + first, 10e9)),
                                  Contains(Pair("host.gpu.memory_total_bytes" + first, 40e9)),
                                  Contains(Pair("host.gpu.temperature_celsius" + first, 61)),
                                  Contains(Pair("host.gpu.power_watts" + first, 250.5)),
                                  Contains(Pair("host.gpu.clock_hertz;clock=graphics" + first, 1.41e9)),
                                  Contains(Pair("host.gpu.clock_hertz;clock=memory" + first, 1.215e9)),
                                  Contains(Pair("host.gpu.clock_hertz;clock=sm" + first, 1.4e9))));
  EXPECT_THAT(sink_.totals,
              UnorderedElementsAre(Pair("host.gpu.energy_uj" + first, 7'000'000),
                                   Pair("host.gpu.memory_errors" + first + ";type=corrected", 5),
                                   Pair("host.gpu.memory_errors" + first + ";type=uncorrected", 2)));
}

TEST_F(GpuCollectorTest, WhatAGpuDoesNotHaveHasNoSeries) {
  collect_all(*nvidia_);
  EXPECT_THAT(sink_.gauges, AllOf(Contains(Pair("host.gpu.temperature_celsius;gpu=10000:af:00.0", 61)),
                                  Not(Contains(Key("host.gpu.busy_percent;gpu=10000:af:00.0"))),
                                  Not(Contains(Key("host.gpu.power_watts;gpu=10000:af:00.0")))));
}

TEST_F(GpuCollectorTest, AHostWithoutGpusIsOkAndHasNoSeries) {
  EXPECT_EQ(collect_all(*none_), CollectorStatus{});
  EXPECT_THAT(sink_.gauges, IsEmpty());
  set_nvml(9, 0);
  EXPECT_EQ(collect_all(*nvidia_), CollectorStatus{}) << "a library without its driver";
  EXPECT_THAT(sink_.gauges, IsEmpty());
  set_nvml(0, 0);
  collect_all(*nvidia_);
  EXPECT_FALSE(sink_.gauges.empty()) << "the driver was loaded later";
}

TEST_F(GpuCollectorTest, WithoutTheRightToUseTheDriverItIsUnavailable) {
  set_nvml(4, 0);
  EXPECT_EQ(collect_all(*nvidia_),
            CollectorStatus::unavailable(STATMILL_FAKE_NVML ": Insufficient Permissions"));
  write_card("card0", "0000:03:00.0");
  EXPECT_EQ(collect_all(*nvidia_).level, Level::kDegraded) << "the other GPU goes on";
  EXPECT_THAT(sink_.gauges, Contains(Key("host.gpu.busy_percent;gpu=0000:03:00.0")));
}

TEST_F(GpuCollectorTest, AfterAFaultTheLibraryStartsAgain) {
  collect_all(*nvidia_);
  EXPECT_EQ(starts(), 1);
  set_nvml(0, 15);
  EXPECT_EQ(collect_all(*nvidia_), CollectorStatus::unavailable("nvmlDeviceGetCount: GPU is lost"));
  EXPECT_EQ(starts(), 0);
  set_nvml(0, 0);
  EXPECT_EQ(collect_all(*nvidia_), CollectorStatus{});
  nvidia_.reset();
  EXPECT_EQ(starts(), 0);
}

TEST_F(GpuCollectorTest, ALibraryThatLacksFunctionsIsNamed) {
  const auto other = make_gpu_collector(sources(), "libc.so.6");
  EXPECT_EQ(collect_all(*other), CollectorStatus::unavailable("libc.so.6: too old"));
}

TEST_F(GpuCollectorTest, AFileThatItMayNotReadMakesItDegraded) {
  write_card("card0", "0000:03:00.0");
  const auto file = root_.path() / "devices/pci/0000:03:00.0/gpu_busy_percent";
  std::filesystem::permissions(file, std::filesystem::perms::none);
  const WithoutFileRights without;  // the thread that reads has its rights from this one
  EXPECT_EQ(collect_all(*none_).level, Level::kDegraded);
  EXPECT_THAT(sink_.gauges, Contains(Key("host.gpu.memory_bytes;gpu=0000:03:00.0")));
}

TEST_F(GpuCollectorTest, StopsAtItsLimitAndReportsIt) {
  for (int i = 100; i < 165; ++i) write_card("card" + std::to_string(i), std::to_string(i));
  EXPECT_EQ(collect_all(*none_), CollectorStatus::degraded("only the first 64 GPUs"));
  EXPECT_EQ(sink_.gauges.size(), 4U * 64);
}

}  // namespace
}  // namespace statmill
