// SpoolDirectory: the interface between the spool and its disk: a flat directory of append-only files.
//
// Disk faults occur below this interface: DiskDirectory meets real ones, tests inject their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace statmill {

// A file open for appending. Confined to one thread. Its directory must outlive it.
class SpoolFile {
 public:
  virtual ~SpoolFile() = default;
  // Appends to the end. On failure, a part may have been appended.
  virtual Status append(std::string_view bytes) = 0;
  // Makes everything appended so far survive a power cut, once the directory entry survives it, too
  // (SpoolDirectory::sync). After a failure, the bytes appended since the last success are in an unknown
  // state, and a later success does not prove that they are durable.
  virtual Status sync() = 0;
};

// Confined to one thread. All functions may return kIo, with the file name; other errors are listed
// at each function.
class SpoolDirectory {
 public:
  virtual ~SpoolDirectory() = default;
  // Returns the names of all files, in any order.
  virtual Result<std::vector<std::string>> list() = 0;
  // Reads `bytes` bytes from `offset`; fewer only at the end of the file. Errors: kNotFound.
  virtual Result<std::string> read(const std::string& name, uint64_t offset, size_t bytes) = 0;
  // Errors: kNotFound.
  virtual Result<uint64_t> size(const std::string& name) = 0;
  // Opens an existing file for appending. Errors: kNotFound.
  virtual Result<std::unique_ptr<SpoolFile>> open_for_append(const std::string& name) = 0;
  // Writes `contents` again over the same bytes, which needs no disk space, and truncates the file after
  // them. On success they survive a power cut, whatever happened at earlier syncs. On failure they are
  // unchanged. Requires: the file begins with `contents`. Errors: kNotFound.
  virtual Status rewrite(const std::string& name, std::string_view contents) = 0;
  // Succeeds if the file does not exist.
  virtual Status remove(const std::string& name) = 0;
  // Replaces the whole file, atomically: after a power cut, too, it has either the new contents or the old.
  virtual Status replace(const std::string& name, std::string_view contents) = 0;
  // Makes the set of file names survive a power cut.
  virtual Status sync() = 0;
};

}  // namespace statmill
