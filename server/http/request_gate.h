// Checks every header block byte by byte before the HTTP parser sees it.
//
// Headers that two HTTP parsers could understand differently (request smuggling) are refused, and the
// connection is closed. Beast 1.81 alone accepts obsolete folding, repeated Content-Length, unknown
// Transfer-Encodings and repeated or missing Host. The gate follows RFC 9112 and always takes its strict
// choice.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/verdict.h"
#include "server/http/http_refusal.h"

namespace statmill {

inline constexpr size_t kHeaderBytesMax = 24576;
inline constexpr size_t kHeaderFieldsMax = 64;

// The state of the bytes received so far: refused, complete (`size` > 0), or incomplete.
struct HeaderScan {
  size_t size = 0;  // of the header block, including its empty line
  Verdict<HttpRefusal> verdict = kAccepted;
};

// Views into the header block.
struct RequestLine {
  std::string_view method;
  std::string_view target;
};

// Looks for a complete header block at the start of `bytes` and ignores the bytes after it (body, next
// request). Refuses as soon as no continuation could be valid. Never needs more than kHeaderBytesMax bytes.
HeaderScan scan_header(std::string_view bytes);

// Checks a complete block: request line, fields and empty line, each ended by CR LF.
Verdict<HttpRefusal> check_header(std::string_view block);

// Requires: check_header() accepts the block.
RequestLine request_line(std::string_view block);

}  // namespace statmill
