// Bytes <-> their hexadecimal digits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/number_text.h"

namespace statmill {

// Returns two digits per byte, lower case.
inline std::string hex_of_bytes(std::string_view bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const char c : bytes) digits += hex_digits(static_cast<unsigned char>(c));
  return digits;
}

// Returns nullopt if the text is not two digits per byte, of either case.
inline std::optional<std::string> bytes_of_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    const auto byte = parse_as<unsigned char>(digits.substr(i, 2), 16);
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

}  // namespace statmill
