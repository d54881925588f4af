#include "agent/collectors/bpf_statistics.h"

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace statmill {

Result<BpfStatistics> BpfStatistics::begin() {
  bpf_attr attributes{};
  attributes.enable_stats.type = BPF_STATS_RUN_TIME;
  const long fd = ::syscall(SYS_bpf, BPF_ENABLE_STATS, &attributes, sizeof(attributes.enable_stats));
  if (fd < 0) return Error{ErrorCode::kUnavailable, std::string("BPF_ENABLE_STATS: ") + std::strerror(errno)};
  return BpfStatistics(static_cast<int>(fd));
}

BpfStatistics::~BpfStatistics() {
  if (fd_ >= 0) ::close(fd_);
}

BpfStatistics::BpfStatistics(BpfStatistics&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

}  // namespace statmill
