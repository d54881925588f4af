#include "server/query/read/packed_chunk.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "tests/storage/buckets.h"
#include "tests/storage/slot_columns.h"

namespace statmill {
namespace {

constexpr Slot kBegin = 1000;
constexpr size_t kSize = 200;

SlotColumns columns_of(Parts parts, const rc::Gen<Bucket>& buckets, bool has_gaps) {
  SlotColumns columns(kBegin, kSize, parts);
  for (const SlotBucket& b : *slot_buckets(kBegin, kBegin + Slot{kSize}, buckets))
    columns.add(static_cast<size_t>(b.slot - kBegin), b.bucket, Combine::kMerge);
  for (size_t i = 0; i < kSize && !has_gaps; ++i) {
    if (!columns.present[i]) columns.add(i, Bucket::of(Number::decimal(7, 1)), Combine::kMerge);
  }
  return columns;
}

TEST(PackedIntegers, KeepNumbersOfEachWidth) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const std::vector<std::vector<int64_t>> cases = {{5},
                                                   {-3, 252},
                                                   {-3, 253},
                                                   {100'000, 165'535},
                                                   {100'000, 165'536},
                                                   {-1, int64_t{UINT32_MAX} - 1},
                                                   {-1, UINT32_MAX},
                                                   {kLeast, kMost, 0}};
  const std::vector<size_t> widths = {1, 1, 2, 2, 4, 4, 8, 8};
  for (size_t i = 0; i < cases.size(); ++i) {
    const PackedIntegers packed(cases[i]);
    EXPECT_EQ(packed.bytes(), widths[i] * cases[i].size()) << i;
    std::vector<int64_t> out(cases[i].size());
    packed.unpack(0, out.size(), out.data());
    EXPECT_EQ(out, cases[i]);
    packed.unpack(cases[i].size() - 1, 1, out.data());
    EXPECT_EQ(out[0], cases[i].back());
  }
}

TEST(PackedIntegers, KnowWhetherAFactorFits) {
  EXPECT_TRUE(PackedIntegers(std::vector<int64_t>{-922'337'203'685'477'580, 5}).fits(10));
  EXPECT_FALSE(PackedIntegers(std::vector<int64_t>{-922'337'203'685'477'581, 5}).fits(10));
  EXPECT_FALSE(PackedIntegers(std::vector<int64_t>{0, 922'337'203'685'477'581}).fits(10));
}

TEST(PackedChunk, KeepsTheLeastInteger) {
  SlotColumns columns(kBegin, 2, {.extremes = true});
  columns.add(0, Bucket::of(Number::decimal(7, 0)), Combine::kMerge);
  columns.sums[0] = std::numeric_limits<int64_t>::min();
  SlotColumns out(kBegin, 2, {});
  PackedChunk::pack(columns)->unpack_into(out);
  ASSERT_TRUE(out.present[0]);
  EXPECT_EQ(out.sums[0], std::numeric_limits<int64_t>::min());
}

TEST(PackedChunk, RefusesDoubles) {
  SlotColumns mixed(kBegin, 4, {});
  mixed.add(0, Bucket::of(Number::of(1e-30)), Combine::kMerge);
  EXPECT_FALSE(PackedChunk::pack(mixed));
}

RC_GTEST_PROP(PackedChunk, UnpacksWhatWasPackedInAnyRange, ()) {
  const Parts parts = *rc::gen::element(Parts{}, Parts{.extremes = true});
  const auto singles = rc::gen::map(small_decimals(), [](const Number& n) { return Bucket::of(n); });
  const auto buckets = *rc::gen::arbitrary<bool>() ? exact_buckets() : singles;
  const SlotColumns columns = columns_of(parts, buckets, *rc::gen::arbitrary<bool>());
  const auto packed = PackedChunk::pack(columns);
  if (!packed) RC_DISCARD("mixed");
  const Parts wanted = columns.is_single ? *any_parts() : parts;
  if (!packed->has(wanted)) RC_DISCARD("histograms");
  const Slot begin = *rc::gen::inRange<Slot>(kBegin - 20, kBegin + Slot{kSize} + 20);
  SlotColumns out(begin, *rc::gen::inRange<size_t>(0, 2 * kSize), wanted);
  // What is outside the chunk may have another form and another scale.
  const Bucket other = *exact_buckets();
  const bool has_other = out.size() > 0 && (begin < kBegin || begin >= kBegin + Slot{kSize});
  if (has_other) out.add(0, other, Combine::kMerge);
  SlotColumns want = out;
  want.add(columns, Combine::kMerge);
  packed->unpack_into(out);
  check_form(out);
  for (size_t i = 0; i < out.size(); ++i)
    RC_ASSERT(same_numbers(out.bucket_at(i), want.bucket_at(i), out.parts));
}

}  // namespace
}  // namespace statmill
