// Text forms that people write in options and URLs: durations, numbers, endpoints, retention spans.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

// "10s", "5m", "1h", "10d", "2w", "1y" (365 days), "250ms", and sums like "1y9d". No sign, no fraction, no
// spaces.
Result<Duration> parse_duration(std::string_view text);

// The shortest such text: 90 s -> "90s", 3600 s -> "1h".
std::string format_duration(Duration d);

// "64M", "2G", "512K", "1048576" -> bytes (powers of 1024).
Result<uint64_t> parse_bytes(std::string_view text);

// A decimal integer in [min, max], nothing else around it.
Result<int64_t> parse_integer(std::string_view text, int64_t min, int64_t max);

// Moments as the API and the CLI take them: unix seconds ("1700000000"), "now", or back from now ("-6h",
// "now-6h"). Result in unix seconds.
Result<int64_t> parse_time(std::string_view text, Timestamp now);

// Shortest text that reads back as the same double; integers without exponent up to 2^53. Appends.
// NaN and infinities are written as `null`.
void append_number(std::string& out, double value);

// The text as a JSON string, quotes included. Bytes that are not valid UTF-8 become U+FFFD. Appends.
void append_json_string(std::string& out, std::string_view text);

// The text with nothing in it but visible ASCII and blanks: a backslash is doubled, any other byte becomes
// \xNN.
std::string visible_text(std::string_view text);

// HOST:PORT or [V6]:PORT.
struct Endpoint {
  std::string host;
  uint16_t port = 0;

  std::string text() const;
};

// Port 0 means "any free port".
Result<Endpoint> parse_endpoint(std::string_view text);

// Splits at `separator`; no text gives no parts.
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace statmill
