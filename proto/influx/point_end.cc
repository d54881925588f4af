#include "proto/influx/point_end.h"

#include <algorithm>

#include "base/bytes16.h"
#include "proto/sample.h"

namespace statmill {
namespace {

constexpr size_t kNowhere = std::string_view::npos;

// Returns where the fields of a line begin: at its first blank that is not escaped.
size_t fields_begin(std::string_view line) {
  size_t at = line.find(' ', std::min(line.find_first_not_of(" \t"), line.size()));
  while (at != kNowhere && at > 0 && line[at - 1] == '\\') at = line.find(' ', at + 1);
  return std::min(at, line.size());
}

// Returns the position from `at` on of the first of the bytes that is not escaped; text.size() if there is
// none.
template <char... kBytes>
size_t find_bare(std::string_view text, size_t at) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto is_one = [](Bytes16 b) -> Mask16 {
    return (b == sixteen('\\')) | ((b == sixteen(kBytes)) | ...);
  };
  while (at < text.size()) {
    at = static_cast<size_t>(find_first(begin, begin + at, end, is_one) - begin);
    if (at == text.size() || text[at] != '\\') return at;
    at += 2;
  }
  return text.size();
}

// Returns the position of the first LF or quote; text.size() if there is none.
size_t first_mark(std::string_view text) {
  const char* const begin = text.data();
  const auto is_mark = [](Bytes16 b) -> Mask16 { return (b == sixteen('\n')) | (b == sixteen('"')); };
  return static_cast<size_t>(find_first(begin, begin, begin + text.size(), is_mark) - begin);
}

// Follows the strings of the point. Returns the position of the LF after it, text.size() if there is none, or
// kNowhere if a string has no end.
size_t end_after_strings(std::string_view text, size_t at) {
  const auto first_lf = [text](size_t from) { return std::min(text.find('\n', from), text.size()); };
  for (;; ++at) {
    at = find_bare<'"', ' ', '\n'>(text, at);
    if (at >= text.size() || text[at] == '\n') return std::min(at, text.size());
    if (text[at] == ' ' || text[at - 1] != '=') return first_lf(at);  // the time, or no valid field
    at = find_bare<'"'>(text, at + 1);
    if (at >= text.size()) return kNowhere;
    if (at + 1 == text.size() || text[at + 1] != ',') return first_lf(at + 1);  // no further field
  }
}

}  // namespace

size_t influx_point_size(std::string_view text) {
  const std::string_view head = text.substr(0, kLineBytesMax + 1);
  const size_t mark = first_mark(head);
  if (mark < head.size() && head[mark] == '\n') return mark;
  const size_t lf = std::min(head.find('\n', mark), head.size());
  const bool is_cut = head.size() < text.size();
  if (lf == head.size() && is_cut) return std::min(text.find('\n', lf), text.size());
  if (mark >= lf) return lf;
  const size_t fields = fields_begin(head.substr(0, lf));
  if (fields == lf) return lf;
  const size_t end = end_after_strings(head, fields + 1);
  const bool has_end = end < head.size() || (end == head.size() && !is_cut);
  return has_end ? end : lf;
}

}  // namespace statmill
