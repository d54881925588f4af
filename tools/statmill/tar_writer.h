// TarWriter: writes files as a tar archive (POSIX.1-1988, "ustar") to a descriptor, without temporary files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace statmill {

// Confined to one thread. Errors of all functions: kIo.
class TarWriter {
 public:
  static constexpr size_t kNameBytesMax = 99;
  static constexpr uint64_t kFileBytesMax = (uint64_t{1} << 33) - 1;  // eleven octal digits

  // `descriptor` must stay open. All files get the time `mtime_s`, in unix seconds.
  TarWriter(int descriptor, int64_t mtime_s) : descriptor_(descriptor), mtime_s_(mtime_s) {}

  // Begins a file, of which exactly `bytes` must follow with write(). Errors: kLimit for a name or a file
  // that is too long for the format.
  Status begin(std::string_view name, uint64_t bytes);
  Status write(std::string_view piece);
  // Ends the file: fills its last block.
  Status end();
  // Ends the archive.
  Status finish();

 private:
  Status put(std::string_view bytes);

  const int descriptor_;
  const int64_t mtime_s_;
  uint64_t file_bytes_ = 0;  // bytes of the current file that are written
};

}  // namespace statmill
