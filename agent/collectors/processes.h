// The processes collector: processes by state, and CPU time and memory of the programs that use most.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "agent/collectors/collector.h"
#include "base/clock.h"
#include "base/log.h"

namespace statmill {

struct ProcessesOptions {
  std::string root = "/proc";
  size_t processes_max = 10'000;  // read in one walk
  size_t programs_max = 20;       // with series, by CPU time and by memory each
  bool is_each_time = false;      // walks at each collection instead of once in 10 s
};

// A thread of its own walks. `clock` and `log` must outlive the collector.
std::unique_ptr<Collector> make_processes_collector(ProcessesOptions options, const Clock& clock, Log& log);

}  // namespace statmill
