// HistoryReader: reads the samples of one file, piece by piece, in bounded memory, whatever the file says.
//
// What is no sample is refused at its place, and the reader goes on with what follows. Two readers of the
// same file find the same samples in the same order: resuming an import relies on that.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/statmill/import/history_sink.h"

namespace statmill {

// A place in a file at which a reader can begin.
struct ReadPosition {
  uint64_t offset = 0;  // bytes
  uint64_t line = 0;    // lines before it; 0 if the file has none
  bool operator==(const ReadPosition&) const = default;
};

// Confined to one thread.
class HistoryReader {
 public:
  virtual ~HistoryReader() = default;

  // Reads a piece. Returns false at the end of the file, or if the sink returned false. Errors: kIo, and
  // kCorrupt or kVersion if the rest of the file cannot be read.
  virtual Result<bool> read(HistorySink& sink) = 0;
  // Where a reader can begin to find what read() has not passed on yet. It does not move if samples depend on
  // those before them.
  virtual ReadPosition position() const { return {}; }
  // Bytes of the file that are read, for the progress.
  virtual uint64_t bytes() const = 0;
  // What a refusal's place is: "line" or "byte".
  virtual std::string_view place() const { return "line"; }
};

}  // namespace statmill
