// LineBuffer: turns streams of bytes into whole lines, with a bounded carry for the unfinished one of each.
//
// The cuts of a stream never matter: the same bytes in any pieces give the same samples and refusals. A
// thread reads all its streams through one buffer, large enough that what a read brings makes good batches;
// between reads a stream holds no memory but its unfinished line.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "ingest/dialect.h"

namespace statmill {

// What becomes of a line that the end of the stream cut, or ended.
enum class LastLine : uint8_t { kRefuse, kTake };

// What is kept of one stream between reads.
struct LineStream {
  std::string unfinished;  // at most kLineBytesMax; empty when skipping
  bool skipping = false;   // inside a line over kLineBytesMax, already refused
};

// Confined to its thread.
class LineBuffer {
 public:
  static constexpr size_t kReadBytes = 256 * 1024;

  LineBuffer() : bytes_(std::make_unique_for_overwrite<char[]>(kLineBytesMax + kReadBytes)) {}

  // Where the next read may write: kReadBytes. Ends the life of what the last commit gave a parser.
  std::span<char> space() { return {bytes_.get() + kLineBytesMax, kReadBytes}; }
  // The first `bytes` of space() are filled with what came next of `stream`: every line that is now complete
  // goes to `parser`.
  void commit(size_t bytes, LineStream& stream, LineParser& parser);
  // The stream ended: an unfinished line is taken as a line, or refused (unterminated), as it may be cut
  // short. `stream` must outlive what the parser makes of it.
  static void end(const LineStream& stream, LineParser& parser, LastLine last_line);

 private:
  const std::unique_ptr<char[]> bytes_;  // room for an unfinished line, then space()
};

}  // namespace statmill
