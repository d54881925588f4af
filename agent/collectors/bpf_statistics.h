// BpfStatistics: has the kernel measure what each eBPF program takes, which it does not by itself.
#pragma once

#include "base/result.h"

namespace statmill {

// Measures while it lives; costs each run of every program on the host some 60 ns, which it counts as the
// program's.
class BpfStatistics {
 public:
  // Needs CAP_SYS_ADMIN. Errors: kUnavailable.
  static Result<BpfStatistics> begin();
  ~BpfStatistics();
  BpfStatistics(BpfStatistics&& other) noexcept;
  BpfStatistics& operator=(BpfStatistics&&) = delete;

 private:
  explicit BpfStatistics(int fd) : fd_(fd) {}
  int fd_;  // the kernel measures as long as anyone has one open
};

}  // namespace statmill
