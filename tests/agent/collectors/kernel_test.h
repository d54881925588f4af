// KernelTest: a collector over its programs in the running kernel, read before and after a load of known
// size.
//
// Other programs run on the machine at the same time: a test compares with what it did itself (at least so
// many), or looks at a device, cgroup or port of its own.
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
  static constexpr std::string_view kDisturbed = "process 1 was at work all the time";

  // Why this test cannot be here; empty: it can. For SetUp, which alone may skip.
  std::string load(LoadedProbe probe,
                   std::unique_ptr<Collector> (*make)(LoadedProbe, const BpfEnvironment&)) {
    if (!probe && probe.error().message == "built without eBPF") return probe.error().message;
    if (!probe && probe.error().message.starts_with("permission")) return probe.error().message;
    if (!probe && probe.error().message == "no BTF") return probe.error().message;
    EXPECT_TRUE(probe) << probe.error().message;
    if (!probe) return "not loaded";
    collector_ = make(std::move(probe), around_);
    return {};
  }

  RecordingSink read() {
    RecordingSink sink;
    const CollectorStatus status = collector_->collect(sink);
    EXPECT_NE(status.level, CollectorStatus::Level::kUnavailable) << status.reason;
    return sink;
  }
  // What `work` adds to all that is counted.
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

  // A measurement of some milliseconds, made again until process 1 had no CPU meanwhile; false: it always
  // had. For events that come to whatever process runs: the kernels of some sandboxes give programs nothing
  // of those that come to the first process, and count none of them as missed.
  static bool without_process_one(const std::function<void()>& measure) {
    constexpr int kTries = 50;
    for (int i = 0; i < kTries; ++i) {
      const std::string before = turns_of_process_one();
      measure();
      if (HasFatalFailure() || turns_of_process_one() == before) return true;
    }
    return false;
  }

  // A total, with the events that its programs were not given because they were at work on that CPU: those
  // are counted, but not as what.
  uint64_t with_missed(RecordingSink& grown, const std::string& name) const {
    return grown.totals[name] + grown.totals[std::string(collector_->name()) + ".missed"];
  }

  // Each of two readings may find each CPU in the midst of an event, half of it counted: cells that belong
  // together differ by so much at most.
  static double halves() { return 2.0 * std::thread::hardware_concurrency(); }

  // How often each of its threads has had a CPU, and for how long, as the scheduler says.
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
  BpfEnvironment around_{.log = log_, .clock = clock_};
  std::unique_ptr<Collector> collector_;
};

}  // namespace statmill
