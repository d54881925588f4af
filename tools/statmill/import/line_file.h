// LineFile: the lines of a file or of standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "base/result.h"
#include "tools/statmill/import/history_reader.h"

namespace statmill {

// Confined to one thread. Memory: twice the longest line, at most twice the limit.
class LineFile {
 public:
  static constexpr size_t kBlockBytes = size_t{1} << 20;  // read at once

  // A line longer than `line_bytes_max` is skipped.
  LineFile(Descriptor file, size_t line_bytes_max, ReadPosition from)
      : file_(std::move(file)), line_bytes_max_(line_bytes_max), position_(from) {}
  // Opens the file at the position; "-" is standard input, `input`, which begins where it is. Errors: kIo.
  static Result<Descriptor> open(const std::string& path, int input, ReadPosition from);

  struct Line {
    std::string_view text;  // without LF and CR; valid until the next call
    bool is_too_long = false;
  };
  // Returns the next line; nullopt at the end. Errors: kIo.
  Result<std::optional<Line>> next();
  // Where the next line begins; its `line` is the number of the line that was returned last.
  ReadPosition position() const { return position_; }

 private:
  Result<size_t> find_end();
  Status fill();

  Descriptor file_;
  size_t line_bytes_max_;
  ReadPosition position_;
  std::string buffer_;
  size_t begin_ = 0;     // of the next line, in the buffer
  size_t searched_ = 0;  // bytes of the buffer without an LF after begin_
  bool is_at_end_ = false;
};

}  // namespace statmill
