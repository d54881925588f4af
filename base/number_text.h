// parse_as() and hex_digits(): integers to and from text, whole and without spaces.
//
// Lines from senders have a parser of their own, which is measured (proto/line_text.h). base/text.h has the
// forms that people write, with errors that explain themselves.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace statmill {

// Parses the whole text as an integer in `base`. Returns nullopt if the text is empty or has any other byte
// (a plus, too), or if the number does not fit. Only signed integers may have a minus.
template <std::integral Integer>
std::optional<Integer> parse_as(std::string_view text, int base = 10) {
  Integer value{};
  const char* const end = text.data() + text.size();
  const auto [parsed_end, error] = std::from_chars(text.data(), end, value, base);
  return error == std::errc{} && parsed_end == end ? std::optional(value) : std::nullopt;
}

inline constexpr std::string_view kHexDigits = "0123456789abcdef";

// Returns all hex digits of the value, lower case: eight of a uint32_t.
template <std::unsigned_integral Unsigned>
std::string hex_digits(Unsigned value) {
  std::string digits(2 * sizeof(Unsigned), '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, value >>= 4)
    *digit = kHexDigits[static_cast<size_t>(value & 15)];
  return digits;
}

}  // namespace statmill
