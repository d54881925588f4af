// BlockFile: reads a binary file by offset, piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

namespace statmill {

// Confined to one thread.
class BlockFile {
 public:
  // Errors: kIo.
  static Result<BlockFile> open(const std::string& path);
  // Bytes in memory, in place of a file written at this time: for tests.
  static BlockFile of(std::string bytes, int64_t written_s = std::numeric_limits<int64_t>::max());

  uint64_t size() const { return size_; }
  // When the file was written last, in unix seconds.
  int64_t written_s() const { return written_s_; }
  // Returns the bytes, valid until the next call. Errors: kCorrupt if the file does not have them, kIo.
  Result<std::string_view> read(uint64_t offset, size_t bytes);

 private:
  BlockFile() = default;

  Descriptor file_;
  uint64_t size_ = 0;
  int64_t written_s_ = 0;
  std::string buffer_;
  std::string memory_;
};

}  // namespace statmill
