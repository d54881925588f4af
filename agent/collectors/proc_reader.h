// ProcReader: the text of files under /proc, or under a test's directory.
//
// Files stay open and are read again from their start: the kernel writes the text anew for each reading.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// Confined to one thread.
class ProcReader {
 public:
  static constexpr size_t kFileBytesMax = size_t{4} << 20;  // /proc/stat of 4096 CPUs: some 1 MiB

  explicit ProcReader(std::string root);
  ~ProcReader();
  ProcReader(const ProcReader&) = delete;
  ProcReader& operator=(const ProcReader&) = delete;

  // The whole text of root/file, valid until the next call. Errors name the path: kNotFound, kLimit, kIo; the
  // file is opened anew next time.
  Result<std::string_view> read(const std::string& file);

 private:
  const std::string root_;
  std::map<std::string, int> open_;  // file -> descriptor; as many as there are names in our code
  std::string text_;
};

}  // namespace statmill
