// parse_json(): Boost.JSON's parser, but with correctly rounded numbers.
//
// Boost.JSON multiplies the digits of a number by a power of ten and rounds on the way: of numbers with 17
// digits, as an average has, many become the wrong double. From 1.82 on it has an option against that.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <string_view>

namespace statmill {

// How a number with a point or an exponent, or beyond 64 bits, is returned.
enum class LongNumbers : uint8_t {
  kRounded,  // the nearest double
  kTexts,    // a string with its text if is_long_number(), otherwise the nearest double
};

// Returns whether the text is a number, but not the one that append_number() writes for the nearest double.
bool is_long_number(std::string_view text);

// Parses a whole document, at most 32 levels deep. `error` is set if the text is not JSON; the value is then
// null.
boost::json::value parse_json(std::string_view text, boost::system::error_code& error,
                              LongNumbers long_numbers = LongNumbers::kRounded);

}  // namespace statmill
