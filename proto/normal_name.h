// Normal names: how istatd's listener stores the name of a series.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace statmill {

// Returns the byte that a normal name has in the place of `c`: lower-case letters, and '_' instead of bytes
// below 33 or above 126 and of / : \ " '.
constexpr char normal_byte(char c) {
  if ('A' <= c && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  const auto byte = static_cast<uint8_t>(c);
  const bool munged = byte < 33 || byte > 126 || c == '/' || c == ':' || c == '\\' || c == '"' || c == '\'';
  return munged ? '_' : c;
}

// Returns true if normal_name() would not change the name.
bool is_normal_name(std::string_view name);

// Replaces each byte by its normal_byte().
std::string normal_name(std::string_view name);

}  // namespace statmill
