#include "tools/statmill/import/line_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace statmill {
namespace {

Error io_error(const std::string& what) { return {ErrorCode::kIo, what + ": " + std::strerror(errno)}; }

}  // namespace

Result<Descriptor> LineFile::open(const std::string& path, int input, ReadPosition from) {
  if (path == "-") return Descriptor(::dup(input));
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return io_error(path);
  if (from.offset > 0 && ::lseek(file.get(), static_cast<off_t>(from.offset), SEEK_SET) < 0)
    return io_error(path);
  return file;
}

Status LineFile::fill() {
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    searched_ -= begin_;
    begin_ = 0;
  }
  const size_t before = buffer_.size();
  buffer_.resize(before + kBlockBytes);
  while (true) {
    const ssize_t n = ::read(file_.get(), buffer_.data() + before, kBlockBytes);
    if (n < 0 && errno == EINTR) continue;
    buffer_.resize(before + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0) return io_error("read");
    is_at_end_ = n == 0;
    return Status::ok();
  }
}

// Returns the index of the LF that ends the next line, or the size of the buffer.
Result<size_t> LineFile::find_end() {
  while (true) {
    const size_t end = buffer_.find('\n', searched_);
    if (end != std::string::npos) return end;
    searched_ = buffer_.size();
    if (is_at_end_ || searched_ - begin_ > line_bytes_max_) return searched_;
    if (Status filled = fill(); !filled) return filled.error();
  }
}

Result<std::optional<LineFile::Line>> LineFile::next() {
  Result<size_t> end = find_end();
  if (!end) return end.error();
  if (begin_ == buffer_.size() && is_at_end_) return std::optional<Line>();
  Line line{std::string_view(buffer_).substr(begin_, *end - begin_)};
  line.is_too_long = line.text.size() > line_bytes_max_;
  while (*end == buffer_.size() && !is_at_end_) {
    // The rest of a line that is too long.
    position_.offset += buffer_.size() - begin_;
    buffer_.clear();
    begin_ = searched_ = 0;
    if (Status filled = fill(); !filled) return filled.error();
    *end = std::min(buffer_.find('\n'), buffer_.size());
  }
  if (line.is_too_long) line.text = {};
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  const size_t next = std::min(*end + 1, buffer_.size());
  position_.offset += next - begin_;
  ++position_.line;
  begin_ = searched_ = next;
  return std::optional(line);
}

}  // namespace statmill
