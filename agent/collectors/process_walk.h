// ProcessWalk: reads what the kernel says about each process of the host, one small file for each.
//
// It needs no right, unless /proc is mounted with hidepid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/collectors/process_text.h"
#include "base/result.h"

namespace statmill {

// Confined to one thread.
class ProcessWalk {
 public:
  // Processes beyond this many are not even counted.
  static constexpr size_t kListedMax = size_t{1} << 17;

  // Calls `see` for each process, ascending by number, and `begin` once before, with the ticks since boot;
  // nullopt if these are not known.
  struct Visitor {
    std::function<void(std::optional<uint64_t> now_ticks)> begin;
    std::function<void(uint32_t process, const ProcessStat& stat)> see;
  };
  // How many processes a walk did not see. A process that ended meanwhile is none of these.
  struct Missed {
    size_t beyond_limit = 0;  // processes with the highest numbers
    size_t unreadable = 0;
    std::string why = {};  // of the first that is unreadable
  };

  // `root` is /proc except in tests. Reads at most `processes_max` processes.
  ProcessWalk(std::string root, size_t processes_max);

  // Errors: the directory is not readable, or process 1 is not, so that only a part of the processes would
  // be counted. Cost: about 5 to 10 us per process, more for one with many threads, whose times the kernel
  // adds up.
  Result<Missed> walk(const Visitor& visitor);

 private:
  Status list(int directory);
  Result<std::string_view> read(int directory, const char* file);

  const std::string root_;
  const size_t processes_max_;
  const double ticks_per_second_;
  std::vector<uint32_t> processes_;  // ascending
  std::string text_;
};

}  // namespace statmill
