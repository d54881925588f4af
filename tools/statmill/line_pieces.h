// LinePieces: cuts what comes from a file, a pipe or a terminal into pieces of whole lines, to send each at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

// Confined to one thread.
class LinePieces {
 public:
  static constexpr size_t kPieceBytes = size_t{256} << 10;     // then a piece is long enough
  static constexpr size_t kLineBytesMax = size_t{1} << 20;     // far longer than any that a server accepts
  static constexpr Duration kPause = std::chrono::seconds(1);  // lines wait so long for further ones

  // `fd` must stay open; its reads may block or not.
  explicit LinePieces(int fd) : fd_(fd) {}

  struct Piece {
    std::string text;         // whole lines; the last one of the input may lack its line end; empty: the end
    uint64_t first_line = 1;  // its number, from 1 on
    uint64_t lines = 0;
  };
  // Returns the next lines: at most kPieceBytes and one line, fewer if no more come for kPause. Blocks until
  // there is a line. Errors: kIo, kInvalid (a line is longer than kLineBytesMax).
  Result<Piece> next();
  // The number of the first line that was not returned yet.
  uint64_t next_line() const { return lines_ + 1; }

 private:
  Status read_more();
  Piece take(size_t bytes);

  const int fd_;
  std::string buffer_;
  size_t whole_ = 0;    // bytes of the buffer that are whole lines
  uint64_t lines_ = 0;  // all that were returned
  bool is_at_end_ = false;
};

}  // namespace statmill
