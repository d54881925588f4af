// The programs collector: what programs count that share their cells (statmill/share.h), under the names
// that they give, as if they had sent it themselves; also what those had counted that have died.
//
// Each file is read each interval, and what was added becomes lines. A file whose process has ended is read
// once more and removed when all its lines are in the batch. What stands in the files when the agent starts
// counts as told before: the agent that ran before it did so, but for what was counted since.
//
// What is told adds up to what the cells had in the end, exactly, whatever instants they were read at. A
// thread that was killed within Histogram::record() is the exception: its last value may be missing in the
// sum, while its count is there.
//
// A file is a stranger's: what cannot be read is counted and costs no other file anything, and all that
// files can make the agent do in one interval has a limit.
#pragma once

#include <memory>
#include <string>

#include "agent/collectors/collector.h"
#include "base/clock.h"
#include "base/log.h"

namespace statmill {

struct ProgramsOptions {
  std::string directory;
  bool removes_files = true;  // those of processes that have ended, when they are told
  size_t files_max = 1024;
  size_t names_max = 16384;  // of the directory that are looked at
  // Counters, histograms and their buckets that are not empty: of a file, and of all. What is known of each
  // takes some 100 bytes.
  size_t items_max = size_t{1} << 16;
  size_t items_in_all_max = size_t{1} << 18;
  // Lines of one interval: what is more waits for the next.
  size_t file_bytes_max = size_t{256} << 10;
  size_t bytes_in_all_max = size_t{1} << 20;
  // What is read in one interval, see SharedCells::cost(): some 0.1 s. The files behind it wait for the next.
  uint64_t cost_max = uint64_t{1} << 26;
};

// Gauges, where there is a directory: programs.files that were read, programs.refused that cannot be, or not
// removed, programs.waiting for want of room, programs.left_out: instruments that have no room in their
// files. `clock` and `log` must outlive the collector.
std::unique_ptr<Collector> make_programs_collector(ProgramsOptions options, const Clock& clock, Log& log);

}  // namespace statmill
