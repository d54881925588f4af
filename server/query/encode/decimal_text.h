// Writes decimals, which are integers with a scale, as text: digit by digit from the integer, with no double
// in between.
#pragma once

#include <cstddef>
#include <cstdint>

namespace statmill {

inline constexpr size_t kDecimalTextMax = 24;  // bytes that put_decimal() may write

// Writes integer / 10^scale at `at` and returns the end of what it wrote. The text is exact, and a number of
// JSON: no zeros at the end of the fraction ("1.05", "-0.5"), and an exponent only where that is shorter and
// the number is no integer below 2^53 ("1e-04", "2e+18").
//
// Up to 15 digits it is the text that append_number() writes for the nearest double, as such doubles are all
// different. With more digits it is still exact, although a double does not hold them: a client that reads
// it as a double gets the one that is nearest to the exact value (readers of JSON round once), and a client
// that reads it as a decimal or a big integer loses nothing. The shortest text of the nearest double would
// be as good for the former only, and is another decimal than the sample: 8.000000000000002 for
// 8.000000000000001.
//
// Requires: room for kDecimalTextMax bytes; 0 <= scale <= kPowerOfTenMax.
char* put_decimal(char* at, int64_t integer, int scale);

}  // namespace statmill
