// ProcReader: reads files under /proc, or under a test's directory.
//
// Files stay open and are read from the start each time: the kernel generates the text at each reading.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// Confined to one thread.
class ProcReader {
 public:
  static constexpr size_t kFileBytesMax = size_t{4} << 20;  // /proc/stat with 4096 CPUs has about 1 MiB

  explicit ProcReader(std::string root);
  ~ProcReader();
  ProcReader(const ProcReader&) = delete;
  ProcReader& operator=(const ProcReader&) = delete;

  // Returns the whole text of root/file, valid until the next call. Errors, with the path: kNotFound, kLimit,
  // kIo; the next call opens the file again.
  Result<std::string_view> read(const std::string& file);

 private:
  const std::string root_;
  std::map<std::string, int> open_;  // file -> descriptor; bounded by the file names in our code
  std::string text_;
};

}  // namespace statmill
