// LineBuffer: splits streams of bytes into whole lines. Each stream keeps its unfinished line, up to a limit.
//
// The sizes of the reads do not matter: the same bytes in any pieces yield the same samples and refusals. A
// thread reads all its streams through one buffer, which is large enough for batches of an efficient size;
// between reads a stream uses no memory except for its unfinished line.
#pragma once

#include <memory>
#include <span>

#include "ingest/dialect.h"
#include "ingest/unfinished_line.h"

namespace statmill {

// Decides about a last line without LF when the stream ends.
enum class LastLine : uint8_t { kRefuse, kAccept };

// The state of one stream between reads.
struct LineStream {
  explicit LineStream(UnfinishedBytes& budget) : unfinished(budget) {}

  UnfinishedLine unfinished;  // at most kLineBytesMax; empty if skipping
  bool skipping = false;      // inside a line that is already refused: over kLineBytesMax, or over the budget
};

// Confined to its thread.
class LineBuffer {
 public:
  static constexpr size_t kReadBytes = 256 * 1024;

  LineBuffer() : bytes_(std::make_unique_for_overwrite<char[]>(kLineBytesMax + kReadBytes)) {}

  // Returns kReadBytes for the next read. Writing there invalidates the lines
  // that the last commit() passed to a parser.
  std::span<char> space() { return {bytes_.get() + kLineBytesMax, kReadBytes}; }
  // Passes all lines that are now complete to `parser`. Requires: the first `bytes` of
  // space() hold the next bytes of `stream`.
  void commit(size_t bytes, LineStream& stream, LineParser& parser);
  // Ends the stream: passes its unfinished line to `parser`, or refuses it (unterminated), since it may be
  // cut short. `stream` must stay unchanged until the parser's submit().
  static void end(const LineStream& stream, LineParser& parser, LastLine last_line);

 private:
  static void hold(std::string_view fresh, LineStream& stream, LineParser& parser);

  const std::unique_ptr<char[]> bytes_;  // kLineBytesMax for an unfinished line, then space()
};

}  // namespace statmill
