// The CPU time of each thread of this process, by the kernel's names.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace statmill {

struct ThreadTime {
  pid_t id = 0;
  std::string name;  // the first 15 bytes
  uint64_t cpu_ns = 0;
};

// Returns those of all threads, in no order; a thread that ends meanwhile is left out. Cost: some 10 us for
// each.
std::vector<ThreadTime> thread_times();

// Returns the CPU time of the process so far, ended threads included, in ns.
uint64_t process_cpu_ns();

}  // namespace statmill
