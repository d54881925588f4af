// LineBuffer: turns a stream of bytes into whole lines, with a bounded carry for the unfinished one.
//
// The stream's cuts never matter: the same bytes in any pieces give the same samples and refusals.
#pragma once

#include <span>
#include <vector>

#include "server/ingest/dialect.h"

namespace statmill {

// What becomes of a line that the end of the stream cut, or ended.
enum class LastLine : uint8_t { kRefuse, kTake };

// Confined to its connection's thread.
class LineBuffer {
 public:
  static constexpr size_t kReadBytes = 64 * 1024;

  LineBuffer();

  // Where the next read may write: kReadBytes. Ends the life of what earlier commits gave a parser.
  std::span<char> space();
  // The first `bytes` of space() are filled: every line that is now complete goes to `parser`.
  void commit(size_t bytes, LineParser& parser);
  // The stream ended: an unfinished line is taken as a line, or refused (unterminated), as it may be cut
  // short.
  void end(LineParser& parser, LastLine last_line);

 private:
  std::vector<char> bytes_;
  size_t begin_ = 0;  // of the unfinished line
  size_t end_ = 0;
  bool skipping_ = false;  // inside a line over kLineBytesMax, already refused
};

}  // namespace statmill
