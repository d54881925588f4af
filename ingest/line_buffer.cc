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
    stream = {};
  }
  std::string& unfinished = stream.unfinished;
  const size_t lines = fresh.rfind('\n') + 1;
  if (lines == 0 && unfinished.size() + fresh.size() <= kLineBytesMax) {
    unfinished.append(fresh);
    return;
  }
  char* const begin = const_cast<char*>(fresh.data()) - unfinished.size();  // in bytes_
  unfinished.copy(begin, unfinished.size());
  if (lines > 0) {
    parser.parse({begin, unfinished.size() + lines});
    fresh.remove_prefix(lines);
  } else {
    fresh = {begin, unfinished.size() + fresh.size()};
  }
  stream.skipping = fresh.size() > kLineBytesMax;
  if (stream.skipping) parser.batch().refuse(Refusal::kLineTooLong, fresh);
  std::string(stream.skipping ? "" : fresh).swap(unfinished);  // a new string uses no more memory than needed
}

void LineBuffer::end(const LineStream& stream, LineParser& parser, LastLine last_line) {
  if (stream.skipping || stream.unfinished.empty()) return;
  if (last_line == LastLine::kAccept) {
    parser.parse(stream.unfinished);
  } else {
    parser.batch().refuse(Refusal::kUnterminated, stream.unfinished);
  }
}

}  // namespace statmill
