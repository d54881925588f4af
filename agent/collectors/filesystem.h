// The filesystem collector: space and inodes of each filesystem of the host.
#pragma once

#include <memory>
#include <string>

#include "agent/collectors/collector.h"
#include "agent/collectors/space_reader.h"

namespace statmill {

struct FilesystemOptions {
  SpaceReader::Read read = read_space;  // tests pass another
  std::string root = {};                // the root of the host, without a slash at the end; empty: /
  bool is_each_time = false;            // reads at each collection instead of once in 10 s
};

// The reader and the clock must outlive the collector. Reads 1/mountinfo, since the agent's own mounts may be
// read-only or hidden by what confines it.
std::unique_ptr<Collector> make_filesystem_collector(ProcReader& proc, const Clock& clock,
                                                     FilesystemOptions options);

}  // namespace statmill
