#include "ingest/foreign_stream.h"

#include <algorithm>
#include <cstdint>

#include "ingest/http_request_line.h"

namespace statmill {
namespace {

constexpr uint8_t kTlsHandshake = 0x16;  // RFC 8446, 5.1: the type of the first record

uint8_t byte(std::string_view text, size_t i) { return static_cast<uint8_t>(text[i]); }

// A length of less than 16 MiB, the highest byte first, then the first opcode of a pickled list: PROTO, MARK
// or EMPTY_LIST. No line that any dialect accepts for what it says begins with a zero byte.
bool is_pickle(std::string_view text) {
  return byte(text, 0) == 0 && (byte(text, 4) == 0x80 || text[4] == '(' || text[4] == ']');
}

// A length of less than 64 KiB, the lowest byte first, then a letter or the mark of an event.
bool is_dogstatsd_frame(std::string_view text) {
  return byte(text, 2) == 0 && byte(text, 3) == 0 && byte(text, 4) > ' ';
}

bool is_tls(std::string_view text) { return byte(text, 0) == kTlsHandshake && byte(text, 1) == 3; }

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<uint8_t>(c) >= ' ' || ('\t' <= c && c <= '\r'); });
}

}  // namespace

std::string_view foreign_to_lines(std::string_view beginning) {
  if (beginning.size() < kForeignBytes) return {};
  if (is_pickle(beginning)) return "a pickle: those of Graphite have a port of their own, --graphite.pickle";
  if (is_tls(beginning)) return "TLS: this port has no certificate";
  if (is_dogstatsd_frame(beginning)) return "frames with a length in front, not lines";
  return {};
}

bool may_become_foreign(std::string_view beginning) {
  return beginning.size() < kForeignBytes &&
         (beginning.find('\0') != std::string_view::npos || byte(beginning, 0) == kTlsHandshake);
}

std::string_view foreign_to_frames(std::string_view beginning) {
  if (begins_http_request_line(beginning)) return "an HTTP request";
  if (beginning.size() >= kForeignBytes && is_tls(beginning)) return "TLS: this port has no certificate";
  if (is_printable(beginning)) return "lines of text, not frames with a length in front";
  return {};
}

}  // namespace statmill
