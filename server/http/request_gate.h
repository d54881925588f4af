// The strict gate: every header block is checked byte by byte before the HTTP parser sees it.
//
// Whatever two HTTP readers could understand differently (request smuggling) is refused with an error and the
// connection closed: Beast 1.81 by itself takes obsolete folding, doubled Content-Length, foreign
// Transfer-Encodings and doubled or missing Host. RFC 9112 with every choice made on the strict side.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "server/http/http_refusal.h"

namespace statmill {

inline constexpr size_t kHeaderBytesMax = 8192;
inline constexpr size_t kHeaderFieldsMax = 64;

// What the bytes received so far amount to: refused, or complete (`size` > 0), or more is needed.
struct HeaderScan {
  size_t size = 0;  // bytes of the header block, its empty line included
  std::optional<HttpRefusal> refusal;
};

// Views into the block.
struct RequestLine {
  std::string_view method;
  std::string_view target;
};

// Looks for a whole header block at the start of `bytes`; bytes behind it (body, next request) are not looked
// at. Refuses as soon as no continuation could be good. At most kHeaderBytesMax bytes are ever needed.
HeaderScan scan_header(std::string_view bytes);

// Checks a whole block: request line, fields and the empty line, each ended by CR LF.
std::optional<HttpRefusal> check_header(std::string_view block);

// Requires: check_header() found nothing in the block.
RequestLine request_line(std::string_view block);

}  // namespace statmill
