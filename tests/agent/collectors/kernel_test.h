// KernelTest: runs a collector with its programs in the running kernel, and reads it before and after a load
// of known size.
//
// Other programs run on the machine at the same time. So a test checks that the counts include at least its
// own load, or uses its own device, cgroup or port.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

#include "agent/collectors/bpf_collectors.h"
#include "base/clock.h"
#include "tests/agent/collectors/recording_sink.h"

namespace statmill {

class KernelTest : public testing::Test {
 protected:
  static constexpr std::string_view kDisturbed = "process 1 ran all the time";

  // Returns why this test cannot run here; empty if it can. Called in SetUp, because only SetUp may skip.
  std::string load(LoadedProbe probe,
                   std::unique_ptr<Collector> (*make)(LoadedProbe, const BpfEnvironment&)) {
    if (!probe && probe.error().message == "built without eBPF") return probe.error().message;
    if (!probe && probe.error().message.starts_with("permission")) return probe.error().message;
    if (!probe && probe.error().message == "no BTF") return probe.error().message;
    EXPECT_TRUE(probe) << probe.error().message;
    if (!probe) return "not loaded";
    collector_ = make(std::move(probe), environment_);
    return {};
  }

  RecordingSink read() {
    RecordingSink sink;
    const CollectorStatus status = collector_->collect(sink);
    EXPECT_NE(status.level, CollectorStatus::Level::kUnavailable) << status.reason;
    return sink;
  }
  // Returns by how much `work` increases the counts.
  RecordingSink growth(const std::function<void()>& work) {
    const RecordingSink before = read();
    work();
    RecordingSink after = read();
    for (auto& [name, total] : after.totals) {
      const auto it = before.totals.find(name);
      if (it != before.totals.end()) total -= it->second;
    }
    for (auto& [name, distribution] : after.distributions) {
      const auto it = before.distributions.find(name);
      if (it == before.distributions.end()) continue;
      distribution.sum -= it->second.sum;
      for (size_t i = 0; i < distribution.counts.size() && i < it->second.counts.size(); ++i)
        distribution.counts[i] -= it->second.counts[i];
    }
    return after;
  }

  // Repeats a measurement of some milliseconds until process 1 had no CPU during it. Returns false if process
  // 1 always had one. Some sandbox kernels hide events of the first process from programs and do not count
  // them as missed, so tests of events in any process need this.
  static bool without_process_one(const std::function<void()>& measure) {
    constexpr int kTries = 50;
    for (int i = 0; i < kTries; ++i) {
      const std::string before = turns_of_process_one();
      measure();
      if (HasFatalFailure() || turns_of_process_one() == before) return true;
    }
    return false;
  }

  // Returns the events that its programs missed because they already ran on that CPU.
  uint64_t missed(RecordingSink& grown) const {
    return grown.totals["host.agent.ebpf_missed;collector=" + std::string(collector_->name())];
  }
  // Returns the measurements that its programs discarded, of one kind of event.
  uint64_t discarded(RecordingSink& grown, const std::string& event) const {
    return grown
        .totals["host.agent.ebpf_discarded;collector=" + std::string(collector_->name()) + ";event=" + event];
  }
  // Returns a total plus the events that its programs missed because they already ran on that CPU: the kernel
  // counts those, but not by kind.
  uint64_t with_missed(RecordingSink& grown, const std::string& name) const {
    return grown.totals[name] + missed(grown);
  }

  // Each of two readings may find each CPU in the middle of an event that is half counted. So cells that
  // belong together differ at most by this much.
  static double halves() { return 2.0 * std::thread::hardware_concurrency(); }

  // Returns how often and how long each thread of process 1 had a CPU, according to the scheduler.
  static std::string turns_of_process_one() {
    std::string turns;
    std::error_code unknown;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/1/task", unknown)) {
      std::ifstream file(thread.path() / "schedstat");
      turns.append(std::istreambuf_iterator<char>(file), {});
    }
    return turns;
  }

  Log log_{LogLevel::kError};
  SystemClock clock_;
  BpfEnvironment environment_{.log = log_, .clock = clock_};
  std::unique_ptr<Collector> collector_;
};

}  // namespace statmill
