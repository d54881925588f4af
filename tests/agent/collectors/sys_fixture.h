// SysFixture: a directory in the form of /sys, and collectors that read it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "agent/collectors/host_collectors.h"
#include "agent/latest_values.h"
#include "base/log.h"
#include "tests/agent/collectors/recording_sink.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_directory.h"

namespace statmill {

class SysFixture : public testing::Test {
 protected:
  void write(std::string_view file, std::string_view text) { root_.write(file, text); }
  void remove(std::string_view file) { std::filesystem::remove_all(root_.path() / file); }
  // As the kernel links devices: the last part of `target` is the name of the device.
  void link(std::string_view file, std::string_view target) {
    std::filesystem::create_directories((root_.path() / file).parent_path());
    std::filesystem::create_symlink(target, root_.path() / file);
  }

  HostSources sources() { return {proc_, root_.path().string(), clock_, log_}; }

  // Collects at once, then in the next slot of 10 s for each further call.
  CollectorStatus collect(Collector& collector) {
    sink_ = {};
    CollectorStatus status = collector.collect(sink_);
    clock_.advance(Duration(10'000));
    return status;
  }

  // Collects twice in one slot. Returns how many values the agent's /metrics has after each.
  std::pair<size_t, size_t> values_in_one_slot(Collector& collector) {
    LatestValues latest(sink_);
    latest.begin();
    collector.collect(latest);
    const size_t first = latest.readings().size();
    latest.begin();
    collector.collect(latest);
    return {first, latest.readings().size()};
  }

  const TempDirectory root_;  // of /proc, too
  ProcReader proc_{root_.path().string()};
  ManualClock clock_;
  Log log_{LogLevel::kError};
  RecordingSink sink_;
};

}  // namespace statmill
