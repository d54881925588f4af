#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "storage/codec/bits.h"
#include "storage/codec/column.h"
#include "storage/codec/range_coder.h"
#include "storage/codec/residuals.h"

namespace statmill {
namespace {

using Numbers = std::vector<uint64_t>;

RC_GTEST_PROP(Bits, NumbersRoundTrip, (const Numbers& numbers)) {
  std::string bytes;
  BitWriter out(bytes);
  for (const uint64_t n : numbers) out.put_number(n);
  out.finish();
  BitReader in(bytes);
  for (const uint64_t n : numbers) RC_ASSERT(in.get_number() == n);
  RC_ASSERT(in.done());
}

TEST(Bits, ReadsZerosPastTheEndAndReportsIt) {
  BitReader in("\xff");
  EXPECT_EQ(in.get(12), 0xffU);
  EXPECT_TRUE(in.overrun());
  EXPECT_FALSE(in.done());
}

RC_GTEST_PROP(RangeCoder, DecisionsAndPlainBitsRoundTrip, ()) {
  const auto values = *rc::gen::arbitrary<std::vector<std::pair<bool, uint16_t>>>();
  std::string bytes;
  RangeEncoder encoder(bytes);
  std::array<Odds, 2> odds;
  for (const auto& [answer, plain] : values) {
    encoder.decide(answer, odds[size_t{plain} % 2]);
    encoder.plain(plain, 16);
  }
  encoder.finish();
  RangeDecoder decoder(bytes);
  odds = {};
  for (const auto& [answer, plain] : values) {
    RC_ASSERT(decoder.decide(false, odds[size_t{plain} % 2]) == answer);
    RC_ASSERT(decoder.plain(0, 16) == plain);
  }
  RC_ASSERT(decoder.done());
}

TEST(RangeCoder, LikelyDecisionsTakeFewBytes) {
  std::string bytes;
  RangeEncoder encoder(bytes);
  Odds odds;
  for (int i = 0; i < 8000; ++i) encoder.decide(true, odds);
  encoder.finish();
  EXPECT_LT(bytes.size(), 30U);
}

RC_GTEST_PROP(Residuals, RoundTrip, (const Numbers& numbers)) {
  std::string bytes;
  BitWriter out(bytes);
  encode_residuals(out, numbers);
  out.finish();
  Numbers decoded(numbers.size());
  BitReader in(bytes);
  RC_ASSERT(decode_residuals(in, decoded));
  RC_ASSERT(in.done());
  RC_ASSERT(decoded == numbers);
}

// Only the bounds matter here: the sanitizers see a write outside.
RC_GTEST_PROP(Residuals, AnyBytesStayWithinBounds, (const std::string& bytes)) {
  Numbers decoded(*rc::gen::inRange<size_t>(0, 300));
  BitReader in(bytes);
  static_cast<void>(decode_residuals(in, decoded));
}

RC_GTEST_PROP(Column, RoundTrips, ()) {
  const auto values = *rc::gen::nonEmpty<std::vector<int64_t>>();
  std::string bytes;
  BitWriter out(bytes);
  encode_column(out, values);
  out.finish();
  std::vector<int64_t> decoded(values.size());
  BitReader in(bytes);
  RC_ASSERT(decode_column(in, decoded));
  RC_ASSERT(in.done());
  RC_ASSERT(decoded == values);
}

TEST(Column, ACounterTakesFewBytes) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 2000; ++i) values.push_back(1'000'000 + 17 * i);
  std::string bytes;
  BitWriter out(bytes);
  encode_column(out, values);
  out.finish();
  EXPECT_LT(bytes.size(), 30U);
}

}  // namespace
}  // namespace statmill
