// parse_json(): Boost.JSON's parser, but with correctly rounded numbers.
//
// Boost.JSON multiplies the digits of a number by a power of ten and rounds on the way: of numbers with 17
// digits, as an average has, many become the wrong double. From 1.82 on it has an option against that.
#pragma once

#include <boost/json/value.hpp>
#include <string_view>

namespace statmill {

// Parses a whole document, at most 32 levels deep. A number with a point or an exponent, or beyond 64 bits,
// becomes the nearest double. `error` is set if the text is not JSON; the value is then null.
boost::json::value parse_json(std::string_view text, boost::system::error_code& error);

}  // namespace statmill
