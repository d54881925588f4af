// The programs collector: reports what programs count in shared cells (statmill/share.h), under the names
// that the programs use, with the tag `uid`: the number of the user who owns the file. This includes counts
// of programs that have died.
//
// Each file is read once per interval, and its growth becomes lines. A file whose process has ended is read
// once more, and removed when all its lines are in the batch. The contents of files that exist when the agent
// starts count as already reported: the previous agent did so, except for what was counted since.
//
// The reported growth adds up exactly to the final contents of the cells, whenever they were read. One
// exception: if a thread was killed within Histogram::record(), its last value may be missing in the sum
// although it is counted.
//
// Files are untrusted input. A file that cannot be read is counted and does not affect other files, and the
// work per interval is limited. No user can fill the limits alone: each may have a quarter of the files and
// items, and some new names per minute. What is above that waits, and is reported later.
#pragma once

#include <memory>
#include <string>

#include "agent/collectors/collector.h"
#include "agent/collectors/program_users.h"
#include "base/clock.h"
#include "base/log.h"

namespace statmill {

struct ProgramsOptions {
  std::string directory;
  bool removes_files = true;  // remove files of processes that have ended, once they are reported
  size_t files_max = 1024;
  size_t names_max = 16384;  // directory entries read
  // Limit for the counters, histograms and non-empty buckets of one file, and of all files, including those
  // that a file had before. The agent needs about 100 bytes for each.
  size_t items_max = size_t{1} << 16;
  size_t items_in_all_max = size_t{1} << 18;
  ProgramUserLimits user = {};
  // Limits for the lines of one interval. The rest waits for the next.
  size_t file_bytes_max = size_t{256} << 10;
  size_t bytes_in_all_max = size_t{1} << 20;
  // Limit for the reading in one interval, in units of SharedCells::cost(): about 0.1 s. The remaining files
  // wait for the next interval.
  uint64_t cost_max = uint64_t{1} << 26;
};

// Reports these gauges of host.agent if the directory exists: program_files (read), program_files_refused
// (could not be read or removed), program_files_waiting (postponed by a limit), program_user_waiting with the
// reason (of these, those that a limit of their user postponed: files, items; and instruments: names),
// program_instruments_left_out (had no room in their files), program_exemplars_refused. `clock` and `log`
// must outlive the collector.
std::unique_ptr<Collector> make_programs_collector(ProgramsOptions options, const Clock& clock, Log& log);

}  // namespace statmill
