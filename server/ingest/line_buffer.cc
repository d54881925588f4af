// See line_buffer.h.
#include "server/ingest/line_buffer.h"

#include <cstring>
#include <string_view>

#include "base/check.h"

namespace statmill {

void LineBuffer::commit(size_t bytes, LineStream& stream, LineParser& parser) {
  SM_CHECK(bytes <= kReadBytes);
  std::string_view fresh(space().data(), bytes);
  if (stream.skipping) {
    const size_t newline = fresh.find('\n');
    if (newline == std::string_view::npos) return;
    fresh.remove_prefix(newline + 1);
    stream = {};
  }
  const size_t lines = fresh.rfind('\n') + 1;
  std::string& unfinished = stream.unfinished;
  if (lines > 0) {
    char* const begin = const_cast<char*>(fresh.data()) - unfinished.size();  // of bytes_
    std::memcpy(begin, unfinished.data(), unfinished.size());
    parser.parse({begin, unfinished.size() + lines});
    std::string(fresh.substr(lines)).swap(unfinished);  // with no more memory than it needs
  } else {
    unfinished.append(fresh);
  }
  if (unfinished.size() > kLineBytesMax) {
    parser.batch().refuse(Refusal::kLineTooLong, unfinished);
    stream.skipping = true;
  }
}

void LineBuffer::end(const LineStream& stream, LineParser& parser, LastLine last_line) {
  if (stream.skipping || stream.unfinished.empty()) return;
  if (last_line == LastLine::kTake) {
    parser.parse(stream.unfinished);
  } else {
    parser.batch().refuse(Refusal::kUnterminated, stream.unfinished);
  }
}

}  // namespace statmill
