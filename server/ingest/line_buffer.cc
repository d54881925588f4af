// See line_buffer.h.
#include "server/ingest/line_buffer.h"

#include <cstring>

#include "base/check.h"

namespace statmill {

LineBuffer::LineBuffer() : bytes_(kReadBytes + kLineBytesMax + 1) {}

std::span<char> LineBuffer::space() {
  if (begin_ > 0) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return {bytes_.data() + end_, kReadBytes};
}

void LineBuffer::commit(size_t bytes, LineParser& parser) {
  SM_CHECK(end_ + bytes <= bytes_.size());
  const size_t fresh = end_;
  end_ += bytes;
  const std::string_view filled(bytes_.data(), end_);
  if (skipping_) {
    const size_t newline = filled.find('\n', fresh);
    begin_ = newline == std::string_view::npos ? end_ : newline + 1;
    if (newline == std::string_view::npos) return;
    skipping_ = false;
  }
  const size_t last = filled.rfind('\n');
  if (last != std::string_view::npos && last >= begin_) {
    parser.parse(filled.substr(begin_, last + 1 - begin_));
    begin_ = last + 1;
  }
  if (end_ - begin_ > kLineBytesMax) {
    parser.batch().refuse(Refusal::kLineTooLong, filled.substr(begin_));
    skipping_ = true;
    begin_ = end_;
  }
}

void LineBuffer::end(LineParser& parser, LastLine last_line) {
  if (!skipping_ && end_ > begin_) {
    const std::string_view line(bytes_.data() + begin_, end_ - begin_);
    if (last_line == LastLine::kTake) {
      parser.parse(line);
    } else {
      parser.batch().refuse(Refusal::kUnterminated, line);
    }
  }
  begin_ = end_ = 0;
  skipping_ = false;
}

}  // namespace statmill
