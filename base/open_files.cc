#include "base/open_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace statmill {

size_t raise_open_files_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t soft = std::exchange(limit.rlim_cur, limit.rlim_max);
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : soft;
}

size_t connections_that_fit(size_t descriptors, size_t reserved, size_t wanted, Log& log) {
  const size_t left = descriptors - std::min(descriptors, reserved);
  const size_t connections = std::min(wanted, std::max(left, kConnectionsMin));
  if (connections < wanted) {
    log.warn("few open files: fewer connections than the settings say",
             {{"open_files", descriptors}, {"line.connections", connections}});
  }
  return connections;
}

bool share_descriptors(size_t descriptors, std::span<size_t* const> limits) {
  size_t wanted = 0;
  size_t least = 0;
  for (const size_t* limit : limits) {
    wanted += *limit;
    least += std::min(*limit, kConnectionsMin);
  }
  if (wanted <= descriptors) return true;
  if (least > descriptors) return false;
  // What each has above its least is shared out in proportion.
  const double part = static_cast<double>(descriptors - least) / static_cast<double>(wanted - least);
  for (size_t* limit : limits) {
    const size_t own = std::min(*limit, kConnectionsMin);
    *limit = own + static_cast<size_t>(static_cast<double>(*limit - own) * part);
  }
  return true;
}

}  // namespace statmill
