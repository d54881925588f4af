// HindsightOptions and RecordOptions: what the agent records, and where recordings go.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "agent/recording/trigger.h"
#include "base/clock.h"

namespace statmill {

struct HindsightOptions {
  Duration length{0};               // --hindsight, of the ring; 0: off
  size_t bytes = size_t{32} << 20;  // --hindsight.bytes, of the ring in RAM
  std::string directory;            // --hindsight.directory, for files; empty: below the spool's
  size_t files = 8;                 // --hindsight.files, that are kept
  std::vector<Trigger> when;        // --hindsight.when; each writes a file when it becomes true
  std::vector<std::string> fast;    // --hindsight.fast: names of collectors; also for --record
  Duration fast_interval{100};      // --hindsight.fast_interval

  bool is_on() const { return length > Duration(0); }
};

struct RecordOptions {
  std::string file;    // --record; "-": standard output; empty: off
  Duration length{0};  // --record.for; 0: until a signal

  bool is_on() const { return !file.empty(); }
};

}  // namespace statmill
