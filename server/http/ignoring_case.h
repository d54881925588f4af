// Compares words of protocols that ignore the case of letters.
#pragma once

#include <algorithm>
#include <string_view>

namespace statmill {

// Returns the lower-case form of an ASCII letter, and any other byte as it is.
inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Requires: `lower_case` has no upper-case letters.
inline bool equals_ignoring_case(std::string_view text, std::string_view lower_case) {
  return std::ranges::equal(text, lower_case, {}, lower);
}

}  // namespace statmill
