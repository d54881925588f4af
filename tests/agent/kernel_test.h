// KernelTest: a collector over its programs in the running kernel, read before and after a load of known
// size.
//
// Other programs run on the machine at the same time: a test compares with what it did itself (at least so
// many), or looks at a device, cgroup or port of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "agent/collectors/bpf_collectors.h"
#include "base/clock.h"
#include "tests/agent/recording_sink.h"

namespace statmill {

class KernelTest : public testing::Test {
 protected:
  // Why this test cannot be here; empty: it can. For SetUp, which alone may skip.
  std::string load(LoadedProbe probe,
                   std::unique_ptr<Collector> (*make)(LoadedProbe, const BpfSurroundings&)) {
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
      const auto place = before.totals.find(name);
      if (place != before.totals.end()) total -= place->second;
    }
    for (auto& [name, distribution] : after.distributions) {
      const auto place = before.distributions.find(name);
      if (place == before.distributions.end()) continue;
      distribution.sum -= place->second.sum;
      for (size_t i = 0; i < distribution.counts.size() && i < place->second.counts.size(); ++i)
        distribution.counts[i] -= place->second.counts[i];
    }
    return after;
  }

  // A total, with the events that its programs were not given because they were at work on that CPU: those
  // are counted, but not as what.
  uint64_t with_missed(RecordingSink& grown, const std::string& name) const {
    return grown.totals[name] + grown.totals[std::string(collector_->name()) + ".missed"];
  }

  Log log_{LogLevel::kError};
  SystemClock clock_;
  BpfSurroundings around_{.log = log_, .clock = clock_};
  std::unique_ptr<Collector> collector_;
};

}  // namespace statmill
