#include "ingest/line_buffer.h"

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
    stream.skipping = false;
  }
  const std::string_view unfinished = stream.unfinished.text();
  const size_t lines = fresh.rfind('\n') + 1;
  if (lines == 0 && unfinished.size() + fresh.size() <= kLineBytesMax) return hold(fresh, stream, parser);
  char* const begin = const_cast<char*>(fresh.data()) - unfinished.size();  // in bytes_
  unfinished.copy(begin, unfinished.size());
  if (lines > 0) {
    parser.parse({begin, unfinished.size() + lines});
    fresh.remove_prefix(lines);
  } else {
    fresh = {begin, unfinished.size() + fresh.size()};
  }
  stream.unfinished.clear();
  if (fresh.size() <= kLineBytesMax) return hold(fresh, stream, parser);
  stream.skipping = true;
  parser.batch().refuse(Refusal::kLineTooLong, fresh);
}

// Keeps the beginning of a line; refuses it if connections hold too much already.
void LineBuffer::hold(std::string_view fresh, LineStream& stream, LineParser& parser) {
  if (fresh.empty() || stream.unfinished.append(fresh)) return;
  stream.skipping = true;
  parser.batch().refuse(Refusal::kMemoryLimit, fresh);
}

void LineBuffer::end(const LineStream& stream, LineParser& parser, LastLine last_line) {
  if (stream.skipping || stream.unfinished.text().empty()) return;
  if (last_line == LastLine::kAccept) {
    parser.parse(stream.unfinished.text());
  } else {
    parser.batch().refuse(Refusal::kUnterminated, stream.unfinished.text());
  }
}

}  // namespace statmill
