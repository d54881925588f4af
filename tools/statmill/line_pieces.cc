#include "tools/statmill/line_pieces.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace statmill {
namespace {

Error read_error() {
  return {ErrorCode::kIo, std::string("cannot read standard input: ") + std::strerror(errno)};
}

}  // namespace

Result<LinePieces::Piece> LinePieces::next() {
  while (!is_at_end_ && whole_ < kPieceBytes) {
    pollfd input{fd_, POLLIN, 0};
    const int timeout_ms = whole_ > 0 ? static_cast<int>(kPause.count()) : -1;
    const int ready = ::poll(&input, 1, timeout_ms);
    if (ready == 0) break;
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return read_error();
    if (Status read = read_more(); !read) {
      if (whole_ == 0) return read.error();
      break;  // the lines before come first; the next call fails again
    }
  }
  return take(is_at_end_ ? buffer_.size() : whole_);
}

Status LinePieces::read_more() {
  std::array<char, 65536> bytes;
  const ssize_t size = ::read(fd_, bytes.data(), bytes.size());
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return Status::ok();
  if (size < 0) return read_error();
  if (size == 0) is_at_end_ = true;
  const size_t before = buffer_.size();
  buffer_.append(bytes.data(), static_cast<size_t>(size));
  if (const size_t end = buffer_.rfind('\n'); end != std::string::npos && end >= before) whole_ = end + 1;
  if (buffer_.size() - whole_ <= kLineBytesMax) return Status::ok();
  const auto lines = static_cast<uint64_t>(std::count(buffer_.begin(), buffer_.end(), '\n'));
  return Error{ErrorCode::kInvalid, "line " + std::to_string(lines_ + lines + 1) + " is longer than " +
                                        std::to_string(kLineBytesMax) + " bytes"};
}

LinePieces::Piece LinePieces::take(size_t bytes) {
  Piece piece{buffer_.substr(0, bytes), lines_ + 1, 0};
  piece.lines = static_cast<uint64_t>(std::count(piece.text.begin(), piece.text.end(), '\n'));
  if (!piece.text.empty() && piece.text.back() != '\n') ++piece.lines;
  lines_ += piece.lines;
  buffer_.erase(0, bytes);
  whole_ -= std::min(whole_, bytes);
  return piece;
}

}  // namespace statmill
