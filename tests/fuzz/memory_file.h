// MemoryFile: a file in memory that has a path, for code that reads files.
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "base/check.h"
#include "base/descriptor.h"

namespace statmill {

class MemoryFile {
 public:
  // Only its user may open it, as the files of secrets demand.
  MemoryFile() : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    SM_CHECK(file_.is_open() && ::fchmod(file_.get(), 0600) == 0);
  }

  void write(std::string_view text) const {
    SM_CHECK(::ftruncate(file_.get(), 0) == 0);
    SM_CHECK(::pwrite(file_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

 private:
  Descriptor file_;
};

}  // namespace statmill
