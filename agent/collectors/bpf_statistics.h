// BpfStatistics: makes the kernel measure the run time of eBPF programs, which is off by default.
#pragma once

#include "base/result.h"

namespace statmill {

// The kernel measures while this object exists. Each run of any program on the host then costs about 60 ns
// more, which the kernel counts as the program's own time.
class BpfStatistics {
 public:
  // Needs CAP_SYS_ADMIN. Errors: kUnavailable.
  static Result<BpfStatistics> begin();
  ~BpfStatistics();
  BpfStatistics(BpfStatistics&& other) noexcept;
  BpfStatistics& operator=(BpfStatistics&&) = delete;

 private:
  explicit BpfStatistics(int fd) : fd_(fd) {}
  int fd_;  // the kernel measures while any process holds one open
};

}  // namespace statmill
