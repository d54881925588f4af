// append_number(): appends a number as the shortest text that parses to the same value.
//
// base/text.h has the same for the server and the agent. This copy is needed because counters/ includes
// nothing else of the project; tests/counters/append_number_test.cc checks that both agree.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <type_traits>

namespace statmill {

// Integers, and doubles with an integer value below 2^53, are written with digits only: the line protocol
// does not accept 1e+06 as a decimal. Requires: `value` is finite.
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
