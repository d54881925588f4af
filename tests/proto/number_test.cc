// Numbers: a table of the grammar, and the law that the value equals that of strtod for the same text.
#include "proto/number.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace statmill {

std::ostream& operator<<(std::ostream& out, Refusal refusal) { return out << refusal_label(refusal); }

namespace {

constexpr int8_t kNot = Number::kNotDecimal;

std::string power_of_ten_text(size_t zeros) { return "1" + std::string(zeros, '0'); }

struct Accepted {
  std::string input;
  double value;
  int64_t mantissa;
  int8_t scale;
  std::string why;
};

const std::vector<Accepted>& accepted_numbers() {
  static const std::vector<Accepted> table = {
      {"0", 0, 0, 0, "zero"},
      {"1", 1, 1, 0, "integer"},
      {"-1.5", -1.5, -15, 1, "sign and fraction"},
      {"+1.5", 1.5, 15, 1, "plus is allowed"},
      {".5", 0.5, 5, 1, "no digit before the point"},
      {"5.", 5, 5, 0, "no digit after the point"},
      {"-.5", -0.5, -5, 1, "sign before a bare point"},
      {"007", 7, 7, 0, "leading zeros do not count"},
      {"-0", 0, 0, 0, "minus zero is zero"},
      {"-0.000", 0, 0, 0, "so are its fractions"},
      {"1.50", 1.5, 15, 1, "zeros at the end of the fraction do not count"},
      {"1.000", 1, 1, 0, "the smallest scale"},
      {"1.0500", 1.05, 105, 2, "zeros inside do count"},
      {"10", 10, 10, 0, "zeros of an integer count"},
      {"1e3", 1000, 1000, 0, "exponent"},
      {"1E+3", 1000, 1000, 0, "capital, and plus"},
      {"1.5e3", 1500, 1500, 0, "exponent beyond the fraction"},
      {"1.234e1", 12.34, 1234, 2, "exponent within the fraction"},
      {"150e-2", 1.5, 15, 1, "the exponent moves zeros into the fraction"},
      {"1000e-21", 1e-18, 1, 18, "a scale that fits only without zeros"},
      {"1e-18", 1e-18, 1, 18, "the largest scale"},
      {"1e-19", 1e-19, 0, kNot, "a larger scale"},
      {"0.000000000000000001", 1e-18, 1, 18, "the same without exponent"},
      {"0.0000000000000000001", 1e-19, 0, kNot, "one zero more"},
      {"9007199254740993", 9007199254740992.0, 9007199254740993, 0, "2^53 + 1, which is no double"},
      {"33.501999999999995", 33.501999999999995, 33501999999999995, 15, "17 digits, as many doubles have"},
      {"0.10000000000000001", 0.1, 10000000000000001, 17, "not the shortest text of its double"},
      {"999999999999999999", 1e18, 999999999999999999, 0, "the largest mantissa"},
      {"-999999999999999999", -1e18, -999999999999999999, 0, "the same below zero"},
      {"0.999999999999999999", 1, 999999999999999999, 18, "largest mantissa and scale"},
      {"1e17", 1e17, 100000000000000000, 0, "fits"},
      {"1e18", 1e18, 0, kNot, "does not fit a mantissa"},
      {"1000000000000000001", 1e18, 0, kNot, "19 digits, of which the double has one"},
      {"0.1000000000000000055511151231257827", 0.1, 1, 1, "the shortest decimal of the double"},
      {"-0.33333333333333333333", -1.0 / 3, -3333333333333333, 16, "the same"},
      {"1234567.1234567890123", 1234567.123456789, 1234567123456789, 9, "20 digits"},
      {"18446744073709551616", 18446744073709551616.0, 0, kNot, "2^64 does not wrap"},
      {power_of_ten_text(300), 1e300, 0, kNot, "many digits"},
      {power_of_ten_text(300) + "e-300", 1, 1, 0, "the exponent leaves one of many digits"},
      {"0." + std::string(400, '0') + "1e401", 1, 1, 0, "the exponent brings it back"},
      {std::string(1000, '0') + "12", 12, 12, 0, "any number of leading zeros"},
      {"1." + std::string(1000, '0'), 1, 1, 0, "any number of trailing zeros"},
      {"0e999999999999", 0, 0, 0, "zero times anything"},
      {"0e-999999999999999999999999999999", 0, 0, 0, "zero divided by anything"},
      {"1.7976931348623157e308", std::numeric_limits<double>::max(), 0, kNot, "largest double"},
      {"5e-324", std::numeric_limits<double>::denorm_min(), 0, kNot, "smallest double"},
      {"-3e-324", -std::numeric_limits<double>::denorm_min(), 0, kNot, "rounds to it"},
      {"2.2250738585072011e-308", 2.2250738585072011e-308, 0, kNot, "a denormal that once hung parsers"},
  };
  return table;
}

TEST(Number, ParsesEveryFormOfADecimal) {
  for (const Accepted& t : accepted_numbers()) {
    Number n;
    ASSERT_TRUE(parse_number(t.input, n).is_accepted()) << t.input << ": " << t.why;
    EXPECT_EQ(std::bit_cast<uint64_t>(n.value()), std::bit_cast<uint64_t>(t.value))
        << t.input << ": " << t.why;
    if (n.is_decimal()) {
      EXPECT_EQ(n.mantissa, t.mantissa) << t.input << ": " << t.why;
    }
    EXPECT_EQ(n.scale, t.scale) << t.input << ": " << t.why;
  }
}

struct Refused {
  std::string input;
  Refusal want;
  std::string why;
};

TEST(Number, RefusesWithTheReason) {
  using enum Refusal;
  const std::vector<Refused> table = {
      {"", kBadValue, "nothing"},
      {"-", kBadValue, "sign alone"},
      {"+", kBadValue, "sign alone"},
      {".", kBadValue, "point alone"},
      {"-.", kBadValue, "sign and point alone"},
      {"e5", kBadValue, "exponent alone"},
      {".e5", kBadValue, "no digit"},
      {"1e", kBadValue, "exponent without digits"},
      {"1e+", kBadValue, "exponent without digits"},
      {"1e5.0", kBadValue, "fraction in the exponent"},
      {"1e5e5", kBadValue, "two exponents"},
      {"--1", kBadValue, "two signs"},
      {"+-1", kBadValue, "two signs"},
      {"1.2.3", kBadValue, "two points"},
      {"1,5", kBadValue, "comma"},
      {"1x", kBadValue, "trailing bytes"},
      {" 1", kBadValue, "leading space"},
      {"1 ", kBadValue, "trailing space"},
      {std::string("1\0", 2), kBadValue, "trailing NUL"},
      {"0x10", kBadValue, "hex"},
      {"0x1p3", kBadValue, "hex float"},
      {"1f", kBadValue, "suffix of C"},
      {"in", kBadValue, "part of a word"},
      {"info", kBadValue, "more than a word"},
      {"nano", kBadValue, "more than a word"},
      {"nan(", kBadValue, "not closed"},
      {"nan(1", kBadValue, "not closed"},
      {"true", kBadValue, "a word"},
      {"nan", kNotFinite, "istatd reads it as 0"},
      {"NaN", kNotFinite, "any case"},
      {"NAN", kNotFinite, "any case"},
      {"-nan", kNotFinite, "signed"},
      {"nan(123)", kNotFinite, "with payload"},
      {"NaN()", kNotFinite, "with empty payload"},
      {"inf", kNotFinite, "infinity"},
      {"+Inf", kNotFinite, "signed"},
      {"-INF", kNotFinite, "signed"},
      {"infinity", kNotFinite, "spelled out"},
      {"-Infinity", kNotFinite, "spelled out"},
      {"1e309", kOutOfRange, "over the largest double"},
      {"1e400", kOutOfRange, "over the largest double"},
      {"-1e400", kOutOfRange, "below the lowest"},
      {"1.7976931348623159e308", kOutOfRange, "rounds to infinity"},
      {power_of_ten_text(309), kOutOfRange, "the same written out"},
      {"1e999999999999999999999999", kOutOfRange, "an exponent that no integer holds"},
      {"1e18446744073709551617", kOutOfRange, "2^64 + 1 does not wrap to 1"},
      {"1e-400", kOutOfRange, "rounds to zero"},
      {"2e-324", kOutOfRange, "rounds to zero"},
      {"-1e-999999999999999999999999", kOutOfRange, "an exponent that no integer holds"},
  };
  for (const Refused& r : table) {
    Number n = Number::of(42.5);
    const auto verdict = parse_number(r.input, n);
    ASSERT_TRUE(verdict.is_refused()) << r.input << ": " << r.why;
    EXPECT_EQ(verdict.reason(), r.want) << r.input << ": " << r.why;
    EXPECT_EQ(n.value(), 42.5) << "unchanged: " << r.input;
  }
}

TEST(Number, DecimalUsesTheSmallestScale) {
  const Number n = Number::decimal(-1500, 3);
  EXPECT_EQ(n.mantissa, -15);
  EXPECT_EQ(n.scale, 1);
  EXPECT_EQ(n.value(), -1.5);
  EXPECT_EQ(Number::decimal(0, 15).scale, 0);
  EXPECT_EQ(Number::decimal(Number::kMantissaMax, Number::kScaleMax).value(), 1) << "rounded";
}

TEST(Number, DecimalOutsideItsRangeFailsACheck) {
  EXPECT_DEATH(static_cast<void>(Number::decimal(Number::kMantissaMax + 1, 0)), "check failed");
  EXPECT_DEATH(static_cast<void>(Number::decimal(1, Number::kScaleMax + 1)), "check failed");
  EXPECT_DEATH(static_cast<void>(Number::decimal(1, -1)), "check failed");
}

TEST(Number, ShortestTextOfEveryDoubleParsesToTheSameBits) {
  std::mt19937_64 random(20'261'120);
  int finite = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto written = std::bit_cast<double>(random());
    if (!std::isfinite(written) || written == 0) continue;
    ++finite;
    std::array<char, 32> text{};
    const char* end = std::to_chars(text.data(), text.data() + text.size(), written).ptr;
    Number n;
    const std::string_view input(text.data(), static_cast<size_t>(end - text.data()));
    ASSERT_TRUE(parse_number(input, n).is_accepted()) << input;
    ASSERT_EQ(std::bit_cast<uint64_t>(n.value()), std::bit_cast<uint64_t>(written)) << input;
  }
  EXPECT_GT(finite, 90'000);
}

// A relay sends a double as its shortest text, which must be the same number as the double itself.
TEST(Number, ADoubleIsTheNumberOfItsShortestText) {
  std::mt19937_64 random(20'261'125);
  int decimals = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double any = std::bit_cast<double>(random());
    const double usual = std::ldexp(static_cast<double>(random()), -static_cast<int>(random() % 120));
    const double value = i % 2 == 0 ? usual : any;
    if (!std::isfinite(value) || value == 0) continue;
    std::array<char, 32> text{};
    const char* end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    Number parsed;
    ASSERT_TRUE(parse_number({text.data(), end}, parsed).is_accepted());
    const Number number = Number::shortest(value);
    ASSERT_EQ(number, parsed) << value;
    ASSERT_EQ(number.value(), value);
    decimals += number.is_decimal() ? 1 : 0;
  }
  EXPECT_GT(decimals, 10'000);
  EXPECT_EQ(Number::shortest(-0.0), Number{});
  EXPECT_EQ(Number::shortest(0.1 + 0.2), Number::decimal(30'000'000'000'000'004, 17));
  EXPECT_EQ(Number::shortest(0x1p58), Number::decimal(288'230'376'151'711'744, 0));
  EXPECT_EQ(Number::shortest(1e-18), Number::decimal(1, 18));
  EXPECT_EQ(Number::shortest(1e-19), Number::of(1e-19));
  EXPECT_EQ(Number::shortest(-1e18), Number::of(-1e18));
}

// Generates digits, a point, digits and an exponent; each may be short or long.
rc::Gen<std::string> decimal_text() {
  const auto digits = rc::gen::container<std::string>(
      rc::gen::element('0', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '9'));
  return rc::gen::map(rc::gen::tuple(rc::gen::element<std::string>("", "-", "+"), digits, digits,
                                     rc::gen::inRange(-340, 330), rc::gen::arbitrary<bool>()),
                      [](const auto& parts) {
                        const auto& [sign, whole, fraction, exponent, scientific] = parts;
                        const std::string text = sign + "0" + whole + "." + fraction;
                        return scientific ? text + "e" + std::to_string(exponent) : text;
                      });
}

void expect_value_of_strtod(const std::string& text) {
  const double want = std::strtod(text.c_str(), nullptr) + 0.0;  // + 0.0: minus zero is zero
  Number n;
  const auto verdict = parse_number(text, n);
  if (std::isinf(want)) {
    RC_ASSERT(verdict == Refusal::kOutOfRange);
  } else if (verdict == Refusal::kOutOfRange) {
    RC_ASSERT(want == 0.0);
  } else {
    RC_ASSERT(verdict.is_accepted());
    RC_ASSERT(std::bit_cast<uint64_t>(n.value()) == std::bit_cast<uint64_t>(want));
  }
}

RC_GTEST_PROP(Number, AgreesWithStrtodBitForBit, ()) {
  const auto texts = *rc::gen::container<std::vector<std::string>>(100, decimal_text());
  for (const std::string& text : texts) expect_value_of_strtod(text);
}

RC_GTEST_PROP(Number, ParsesEveryDecimalExactly, ()) {
  const auto mantissa = *rc::gen::inRange(-Number::kMantissaMax, Number::kMantissaMax + 1);
  const auto scale = *rc::gen::inRange(0, Number::kScaleMax + 1);
  const Number want = Number::decimal(mantissa, static_cast<int8_t>(scale));
  const std::string text = std::to_string(mantissa) + "e-" + std::to_string(scale);
  Number n;
  RC_ASSERT(parse_number(text, n).is_accepted());
  RC_ASSERT(n.mantissa == want.mantissa);
  RC_ASSERT(n.scale == want.scale);
  RC_ASSERT(n.value() == std::strtod(text.c_str(), nullptr));
  RC_ASSERT(n.mantissa % 10 != 0 || n.scale == 0);  // the smallest scale
}

RC_GTEST_PROP(Number, AcceptsOnlyTextsThatStrtodParsesToTheSameValue, ()) {
  const auto bytes = rc::gen::container<std::string>(
      rc::gen::element('0', '1', '9', '.', '-', '+', 'e', 'E', 'x', 'n', 'a', 'i', 'f', ' '));
  const auto texts = *rc::gen::container<std::vector<std::string>>(100, rc::gen::resize(8, bytes));
  for (const std::string& text : texts) {
    Number n;
    if (parse_number(text, n).is_refused()) continue;
    char* end = nullptr;
    const double want = std::strtod(text.c_str(), &end);
    RC_ASSERT(end == text.c_str() + text.size());
    RC_ASSERT(n.value() == want);
  }
}

}  // namespace
}  // namespace statmill
