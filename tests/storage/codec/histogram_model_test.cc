#include "storage/codec/histogram_model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace statmill {
namespace {

using Histograms = std::vector<SparseHistogram>;
constexpr uint64_t kPlacesMax = 1'000'000;

std::string encode(const Histograms& histograms) {
  std::string bytes;
  HistogramModel model(RangeEncoder(bytes), kPlacesMax);
  for (const SparseHistogram& h : histograms) EXPECT_TRUE(model.code(h));
  model.coder().finish();
  return bytes;
}

// Returns up to `count` histograms; fewer if the model refuses the bytes.
Histograms decode(std::string_view bytes, size_t count, uint64_t places_max = kPlacesMax) {
  HistogramModel model(RangeDecoder(bytes), places_max);
  Histograms out;
  while (out.size() < count && model.code({})) {
    auto histogram = SparseHistogram::from_cells(model.release_cells());
    if (!histogram) break;
    out.push_back(std::move(*histogram));
  }
  return out;
}

SparseHistogram histogram_of(std::initializer_list<SparseHistogram::Cell> cells) {
  return SparseHistogram::from_cells(cells).value();
}

// Histograms with few cells near each other, so that places, groups and escapes are all met; each resembles
// the one before or is new.
rc::Gen<Histograms> any_histograms() {
  return rc::gen::exec([] {
    Histograms out;
    SparseHistogram now;
    const auto slots = *rc::gen::inRange(0, 40);
    for (int slot = 0; slot < slots; ++slot) {
      if (*rc::gen::inRange(0, 3) == 0) now = {};
      const auto cells = *rc::gen::inRange(1, 12);
      const auto first =
          *rc::gen::element<HistogramIndex>(-kHistogramIndexMax, -3, 0, 33'000, kHistogramIndexMax - 20);
      for (int i = 0; i < cells; ++i) {
        const int width = *rc::gen::inRange(0, 45);
        const auto any = *rc::gen::arbitrary<uint32_t>();
        now.add(first + *rc::gen::inRange(0, 20), 1 + (uint64_t{any} << 13 >> (45 - width)));
      }
      out.push_back(now);
    }
    return out;
  });
}

RC_GTEST_PROP(HistogramModel, DecodesWhatItEncoded, ()) {
  const Histograms all = *any_histograms();
  RC_ASSERT(decode(encode(all), all.size()) == all);
}

RC_GTEST_PROP(HistogramModel, OtherBytesAreRefusedOrAHistogram, (const std::string& bytes)) {
  HistogramModel model(RangeDecoder(bytes), kPlacesMax);
  for (int slot = 0; slot < 8 && model.code({}); ++slot) {
    const auto cells = model.release_cells();
    uint64_t count = 0;
    HistogramIndex before = -kHistogramIndexMax - 1;
    for (const SparseHistogram::Cell& cell : cells) {
      RC_ASSERT(before < cell.index && cell.index <= kHistogramIndexMax && cell.count > 0);
      before = cell.index;
      count += cell.count;
    }
    RC_ASSERT(0 < count && count <= SparseHistogram::kCountMax);
  }
}

TEST(HistogramModel, LearnsWhatRepeats) {
  const SparseHistogram h = histogram_of({{33'000, 40}, {33'001, 55}, {33'005, 3}, {33'100, 1}});
  const size_t once = encode(Histograms(1, h)).size();
  const size_t often = encode(Histograms(101, h)).size();
  EXPECT_LT((often - once) / 100, once / 3) << once << " bytes, then " << often;
}

TEST(HistogramModel, KeepsTheLargestCounts) {
  const Histograms all = {
      histogram_of({{0, SparseHistogram::kCountMax}}), histogram_of({{0, 1}}),
      histogram_of({{-kHistogramIndexMax, 1}, {kHistogramIndexMax, SparseHistogram::kCountMax - 1}})};
  EXPECT_EQ(decode(encode(all), all.size()), all);
}

TEST(HistogramModel, FailsAfterTooManyPlaces) {
  const Histograms all(3, histogram_of({{100, 7}, {200, 7}}));
  const std::string bytes = encode(all);
  EXPECT_EQ(decode(bytes, 3, 12).size(), 3U) << "two means have six places; the first slot has none";
  EXPECT_EQ(decode(bytes, 3, 11).size(), 2U);
  EXPECT_EQ(decode(bytes, 3, 5).size(), 1U);
}

RC_GTEST_PROP(Magnitudes, CodeNumbersOfAnySize, ()) {
  std::vector<uint64_t> numbers = {0, 1, 2, UINT64_MAX - 1};
  for (const uint64_t any : *rc::gen::arbitrary<std::vector<uint64_t>>())
    numbers.push_back((any | uint64_t{1} << 63) >> *rc::gen::inRange(1, 64));
  std::string bytes;
  RangeEncoder encoder(bytes);
  Magnitudes written;
  for (const uint64_t n : numbers) RC_ASSERT(written.code(encoder, n) == n);
  encoder.finish();
  RangeDecoder decoder(bytes);
  Magnitudes read;
  for (const uint64_t n : numbers) RC_ASSERT(read.code(decoder, 0) == n);
  RC_ASSERT(decoder.done());
}

}  // namespace
}  // namespace statmill
