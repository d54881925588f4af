#include "proto/wide_decimal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace statmill {
namespace {

std::string written(std::string_view text) {
  const auto number = parse_wide_decimal(text);
  if (!number) return "none";
  std::string out;
  append_wide_decimal(out, number->integer, number->scale);
  return out;
}

TEST(WideDecimal, KeepsUpTo38Digits) {
  EXPECT_EQ(written("0"), "0");
  EXPECT_EQ(written("-0.0"), "0");
  EXPECT_EQ(written("+12.50"), "12.5");
  EXPECT_EQ(written("000.05"), "0.05");
  EXPECT_EQ(written("-1.000000000000000000000000000000000001"), "-1.000000000000000000000000000000000001");
  EXPECT_EQ(written("99999999999999999999999999999999999999"), "99999999999999999999999999999999999999");
  EXPECT_EQ(written("100"), "100");
}

TEST(WideDecimal, RefusesAllOtherText) {
  for (const char* text : {"", "-", ".", "1.", ".5", "1e3", "1 ", "--1", "0x1", "1.2.3", "nan"})
    EXPECT_EQ(written(text), "none") << text;
  EXPECT_EQ(written("100000000000000000000000000000000000000"), "none") << "39 digits";
  EXPECT_EQ(written("0.0000000000000000000000000000000000001"), "none") << "37 decimals";
}

RC_GTEST_PROP(WideDecimal, ReadsWhatItWrites, ()) {
  const auto high = *rc::gen::arbitrary<int32_t>();
  const auto low = *rc::gen::arbitrary<uint64_t>();
  const Int128 integer = Int128{high} * (Int128{1} << 64) + static_cast<Int128>(low);
  const int scale = *rc::gen::inRange(0, WideDecimal::kScaleMax + 1);
  std::string text;
  append_wide_decimal(text, integer, scale);
  const auto number = parse_wide_decimal(text);
  RC_ASSERT(number);
  Int128 again = number->integer;
  for (int i = number->scale; i < scale; ++i) again *= 10;
  RC_ASSERT(again == integer);
}

}  // namespace
}  // namespace statmill
