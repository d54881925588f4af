#include "base/number_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <limits>

namespace statmill {
namespace {

TEST(NumberText, ParsesOnlyTheWholeText) {
  EXPECT_EQ(parse_as<uint64_t>("0"), 0U);
  EXPECT_EQ(parse_as<uint64_t>("007"), 7U);
  EXPECT_EQ(parse_as<uint64_t>("18446744073709551615"), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(parse_as<int64_t>("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  for (const std::string_view text :
       {"", " ", " 1", "1 ", "1x", "x", "+1", "-1", "-", "1.0", "1e3", "0x1", "18446744073709551616"}) {
    EXPECT_EQ(parse_as<uint64_t>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_as<uint64_t>(std::string_view("12345").substr(0, 2)), 12U) << "reads nothing past the end";
}

TEST(NumberText, ParsesHexOfEitherCase) {
  EXPECT_EQ(parse_as<uint32_t>("00ffABcd", 16), 0xffabcdU);
  EXPECT_EQ(parse_as<uint32_t>("100000000", 16), std::nullopt) << "does not fit";
  EXPECT_EQ(parse_as<uint32_t>("0x1", 16), std::nullopt);
}

TEST(NumberText, HexDigitsKeepLeadingZeros) {
  EXPECT_EQ(hex_digits(uint32_t{0}), "00000000");
  EXPECT_EQ(hex_digits(uint32_t{0xdeadbeef}), "deadbeef");
  EXPECT_EQ(hex_digits(uint64_t{0x123}), "0000000000000123");
}

RC_GTEST_PROP(NumberText, ParsesWhatItWrites, (uint64_t bits, int64_t value)) {
  RC_ASSERT(parse_as<uint64_t>(hex_digits(bits), 16) == bits);
  RC_ASSERT(parse_as<int64_t>(std::to_string(value)) == value);
}

}  // namespace
}  // namespace statmill
