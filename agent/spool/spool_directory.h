// SpoolDirectory: the seam under the spool: a flat directory of files that grow at their end.
//
// Faults of the disk live behind it: DiskDirectory meets the real ones, tests make their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

// A file under way. Confined to one thread; its directory must outlive it.
class SpoolFile {
 public:
  virtual ~SpoolFile() = default;
  // Adds to the end. A failed one may have added a part.
  virtual Status append(std::string_view bytes) = 0;
  // What was appended survives a power cut, once the directory's entry does. After a failure nothing is known
  // of what was appended since the last success, and a later success tells nothing about it.
  virtual Status sync() = 0;
};

// Confined to one thread. Errors of all: kIo, with the name; what else there is stands beside each.
class SpoolDirectory {
 public:
  virtual ~SpoolDirectory() = default;
  // The names of all files, in no order.
  virtual Result<std::vector<std::string>> list() = 0;
  // Up to `bytes` bytes from `offset`; fewer only where the file ends. Errors: kNotFound.
  virtual Result<std::string> read(const std::string& name, uint64_t offset, size_t bytes) = 0;
  // Errors: kNotFound.
  virtual Result<uint64_t> size(const std::string& name) = 0;
  // A file that is there, to add to its end. Errors: kNotFound.
  virtual Result<std::unique_ptr<SpoolFile>> open_end(const std::string& name) = 0;
  // Requires: the file begins with these contents. Writes them again where they are, which takes no room, and
  // ends the file there; they survive a power cut, whatever became of earlier syncs. A failed one has changed
  // nothing of them. Errors: kNotFound.
  virtual Status rewrite(const std::string& name, std::string_view contents) = 0;
  // One that is not there is no error.
  virtual Status remove(const std::string& name) = 0;
  // The file has these contents and no others, or is as it was: also after a power cut.
  virtual Status replace(const std::string& name, std::string_view contents) = 0;
  // Which names there are survives a power cut.
  virtual Status sync() = 0;
};

}  // namespace statmill
