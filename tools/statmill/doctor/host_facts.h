// HostFacts: the facts of this host that `statmill doctor` judges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/statmill/doctor/finding.h"

namespace statmill {

struct HostFacts {
  std::string kernel;    // the release: "6.1.0-18-amd64"
  bool has_btf = false;  // the types of the kernel, /sys/kernel/btf/vmlinux
  // True if a program keeps the clock right, as adjtimex(2) says; nullopt if that cannot be read.
  std::optional<bool> is_clock_synchronized;
  std::optional<uint64_t> receive_buffer_max;  // bytes of datagrams that a socket may keep; nullopt: unknown
  uint64_t open_files_max = 0;                 // the hard limit of this process
};

HostFacts read_host_facts();

// Returns a finding for each fact.
std::vector<Finding> judge_host(const HostFacts& facts);

}  // namespace statmill
