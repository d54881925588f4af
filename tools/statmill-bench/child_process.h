// Processes that the benchmarks start.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace statmill {

// A file descriptor of -1 leaves that stream as it is here.
struct ChildStreams {
  int output = -1;
  int error = -1;
};

// Starts `program`, which is looked up in PATH if it has no slash. `arguments` exclude its name. Errors:
// kUnavailable.
Result<pid_t> spawn_process(const std::filesystem::path& program, std::vector<std::string> arguments,
                            const ChildStreams& streams);

// Sends the signal and waits for the exit. Returns the exit status, or -1 if a signal ended the process.
// Requires: spawn_process() started it, and nobody has waited for it.
int end_process(pid_t pid, int signal);

// Waits for the exit. Returns the exit status, or -1 if a signal ended the process. Requires: as above.
int wait_for_process(pid_t pid);

// Returns whether the process still runs. It has not been waited for then or later. Requires: as above.
bool is_process_running(pid_t pid);

}  // namespace statmill
