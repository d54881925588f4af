// append_number(): numbers as the shortest text that gives them back.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <type_traits>

namespace statmill {

// Whole numbers as digits alone, of doubles those below 2^53: never 1e+06, which the line protocol would take
// for no decimal. Requires: finite.
template <class Number>
void append_number(std::string& out, Number value) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (value == std::nearbyint(value) && std::abs(value) < 9007199254740992.0)
      return append_number(out, static_cast<long long>(value));
  }
  std::array<char, 32> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

}  // namespace statmill
