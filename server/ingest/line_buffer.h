// LineBuffer: turns a stream of bytes into whole lines, with a bounded carry for the unfinished one.
//
// The stream's cuts never matter: the same bytes in any pieces give the same samples and refusals.
#pragma once

#include <span>
#include <vector>

#include "proto/batch.h"

namespace statmill {

// Confined to its connection's thread.
class LineBuffer {
 public:
  static constexpr size_t kReadBytes = 64 * 1024;

  LineBuffer();

  // Where the next read may write: kReadBytes. Ends the life of what earlier commits put into a batch.
  std::span<char> space();
  // The first `bytes` of space() are filled: parses every line that is now complete into `batch`.
  void commit(size_t bytes, Batch& batch);
  // The stream ended: an unfinished line may be cut short and is refused (unterminated).
  void end(Batch& batch);

 private:
  std::vector<char> bytes_;
  size_t begin_ = 0;  // of the unfinished line
  size_t end_ = 0;
  bool skipping_ = false;  // inside a line over kLineBytesMax, already refused
};

}  // namespace statmill
