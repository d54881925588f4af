// RecordingReader: reads a recording (FORMAT.md) block by block. What it reads may be damaged or hostile: it
// needs memory for two blocks, whatever the input says.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "proto/recording/recording_text.h"

namespace statmill {

class RecordingReader {
 public:
  // Reads up to that many bytes into `room`. Returns how many it has read; 0 at the end.
  using Read = std::function<Result<size_t>(std::span<char> room)>;
  explicit RecordingReader(Read read) : read_(std::move(read)) {}

  // Returns the text of the next block, valid until the next call; nullopt at the end. Errors: kCorrupt
  // (damaged, or no recording), kVersion, and those of `read`. After an error, do not call it again.
  Result<std::optional<RecordingText>> next();
  // Bytes of the blocks that next() has returned or skipped.
  uint64_t bytes() const { return bytes_; }
  // Returns, after next() has returned nullopt, whether the recording is complete; otherwise its end is
  // missing.
  bool is_complete() const { return is_ended_ && pending_.empty(); }

 private:
  // Reads until `bytes` are pending, or all there is.
  Status fill(size_t bytes);

  const Read read_;
  std::string pending_;  // read, but not yet a block
  std::string text_;     // of the block that next() has returned
  uint64_t bytes_ = 0;
  bool is_ended_ = false;  // the last block was the one that ends a recording
};

}  // namespace statmill
