#include "counters/append_number.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/text.h"

namespace statmill {
namespace {

// The text of the library, then that of the rest of the project.
std::string both_texts(double value) {
  std::string text;
  append_number<double>(text, value);
  text.push_back('|');
  append_number(text, value);
  return text;
}

TEST(AppendNumber, WritesIntegersWithoutExponent) {
  EXPECT_EQ(both_texts(1e6), "1000000|1000000");
  EXPECT_EQ(both_texts(-0.0), "0|0");
  EXPECT_EQ(both_texts(9007199254740991), "9007199254740991|9007199254740991");
  EXPECT_EQ(both_texts(0.1), "0.1|0.1");
}

RC_GTEST_PROP(AppendNumber, WritesDoublesAsTheRestOfTheProject, (uint64_t bits, int32_t integer)) {
  const std::string whole = both_texts(integer);
  RC_ASSERT(whole.substr(0, whole.size() / 2) == whole.substr(whole.size() / 2 + 1));
  const auto value = std::bit_cast<double>(bits << 11 ^ bits);  // also large exponents
  if (!std::isfinite(value)) return;
  const std::string text = both_texts(value);
  RC_ASSERT(text.substr(0, text.size() / 2) == text.substr(text.size() / 2 + 1));
}

}  // namespace
}  // namespace statmill
