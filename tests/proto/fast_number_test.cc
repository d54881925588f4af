// The fast parser reads short numbers exactly, regardless of the bytes before them, and accepts nothing else.
#include "proto/fast_number.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace statmill {
namespace {

// A slow parser of the grammar: a sign, then digits with at most one point.
bool is_plain_number(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
  const auto digits = std::count_if(text.begin(), text.end(), is_digit);
  const auto points = std::count(text.begin(), text.end(), '.');
  return digits > 0 && points <= 1 && static_cast<size_t>(digits + points) == text.size();
}

void expect_read(const std::string& text, const std::string& before) {
  const std::string all = before + text;
  const std::string_view number_text = std::string_view(all).substr(before.size());
  Number n = Number::of(42.5);
  const bool accepted = parse_number_fast(all.data(), number_text, n);
  if (!accepted) {
    EXPECT_EQ(n.value(), 42.5) << "unchanged: " << text;
  } else {
    EXPECT_TRUE(is_plain_number(text)) << text;
    EXPECT_EQ(n.value(), std::strtod(text.c_str(), nullptr) + 0.0) << text;
    EXPECT_TRUE(n.scale == 0 || n.mantissa % 10 != 0) << text;
  }
  constexpr size_t kAlwaysFits = 16;
  if (text.size() <= kAlwaysFits) {
    EXPECT_EQ(accepted, is_plain_number(text)) << text;
  }
}

TEST(FastNumber, AcceptsAByteOnlyWhereTheGrammarAllowsIt) {
  for (const std::string text : {"7", "25", "-7", "1.5", "1234567", "1234.25", "12345678", "-1234567.5",
                                 "123456789", "+123456789.01", "123456789012345", "12345678.901234",
                                 "1234567890123456", "123456789012345.5", "0.00000", "000000000.000"}) {
    for (size_t at = 0; at < text.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string changed = text;
        changed[at] = static_cast<char>(byte);
        for (const char* before : {"", "x", "9", "name 123.", "servers.web.9999999999999999 "})
          expect_read(changed, before);
      }
    }
  }
}

TEST(FastNumber, ReadsSixteenDigits) {
  for (const std::string_view text : {"9999999999999999", "-9007199254740993"}) {
    Number n;
    ASSERT_TRUE(parse_number_fast(text.data(), text, n));
    EXPECT_EQ(std::to_string(n.mantissa), text);
  }
}

TEST(FastNumber, ReturnsFalseForLongerTexts) {
  Number n;
  for (const std::string_view text : {"", "-", "12345678901234567", "-0.000000000000001"}) {
    EXPECT_FALSE(parse_number_fast(text.data(), text, n)) << text;
  }
}

RC_GTEST_PROP(FastNumber, ParsesEveryDecimalExactly, ()) {
  const auto mantissa = *rc::gen::inRange<int64_t>(0, 1'000'000'000'000'000);
  const auto scale = *rc::gen::inRange<size_t>(0, 15);
  const auto negative = *rc::gen::arbitrary<bool>();
  std::string text = std::to_string(mantissa);
  if (text.size() < scale) text.insert(0, scale - text.size(), '0');
  if (scale > 0) text.insert(text.size() - scale, ".");
  if (negative) text.insert(0, "-");
  const std::string line = "name " + text;
  Number n;
  RC_ASSERT(parse_number_fast(line.data(), std::string_view(line).substr(5), n));
  const Number want = Number::decimal(negative ? -mantissa : mantissa, static_cast<int8_t>(scale));
  RC_ASSERT(n.mantissa == want.mantissa);
  RC_ASSERT(n.scale == want.scale);
}

}  // namespace
}  // namespace statmill
