#include "base/journal_stream.h"

#include <sys/stat.h>

#include <cstdlib>
#include <string>

namespace statmill {

bool is_journal_stream(int descriptor) {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat status {};
  if (stream == nullptr || ::fstat(descriptor, &status) != 0) return false;
  return stream == std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

}  // namespace statmill
