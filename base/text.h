// Text forms of numbers, durations and endpoints, as people write them in options and URLs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

// Parses "10s", "5m", "1h", "10d", "2w", "1y" (365 days), "250ms", and sums such as "1y9d". Does not accept
// signs, fractions or spaces.
Result<Duration> parse_duration(std::string_view text);

// Formats a duration with the largest unit that divides it: 90 s -> "90s", 3600 s -> "1h".
std::string format_duration(Duration d);

// Parses a size in bytes: "64M", "2G", "512K" (powers of 1024), "1048576".
Result<uint64_t> parse_bytes(std::string_view text);

// Parses a decimal integer in [min, max]; the text must contain nothing else.
Result<int64_t> parse_integer(std::string_view text, int64_t min, int64_t max);

// Appends the shortest text that parses to the same double; integers below 2^53 have no exponent. Appends
// `null` for NaN and infinities.
void append_number(std::string& out, double value);

// Returns the length of the valid UTF-8 sequence (RFC 3629) at the start of the text; 0 if there is none.
// Requires: the text is not empty.
size_t utf8_length(std::string_view text);

// Appends the text as a JSON string with quotes. Each byte that is not part of valid UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);

// Returns the text with visible ASCII and blanks only: doubles each backslash, and replaces each other byte
// by \xNN.
std::string visible_text(std::string_view text);

// HOST:PORT or [V6]:PORT. An empty host means a port that is not open; its text is "off".
struct Endpoint {
  std::string host;
  uint16_t port = 0;

  std::string text() const;
};

// Port 0 means any free port.
Result<Endpoint> parse_endpoint(std::string_view text);

// Splits at `separator`. An empty text has no parts.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace statmill
