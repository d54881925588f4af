#include "base/open_files.h"

#include <sys/resource.h>

namespace statmill {

void raise_open_files_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));  // on failure the process keeps the limit it has
}

}  // namespace statmill
