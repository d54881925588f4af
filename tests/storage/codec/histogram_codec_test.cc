#include "storage/codec/histogram_codec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "tests/storage/buckets.h"
#include "tests/storage/codec/codec_helpers.h"
#include "tests/storage/histograms.h"

namespace statmill {
namespace {

using codec_helpers::bytes;
using codec_helpers::kChunkSlots;
using codec_helpers::kFirst;
using Chunk = std::vector<SlotHistogram>;

std::string quick(const SparseHistogram& h) {
  std::string out;
  encode_histogram(out, h);
  return out;
}
std::optional<SparseHistogram> unquick(std::string_view bytes) {
  Reader in(bytes);
  auto out = decode_histogram(in);
  Reader skipping(bytes);
  if (out) {
    EXPECT_TRUE(skip_histogram(skipping));
    EXPECT_EQ(skipping.remaining(), in.remaining());
  }
  return in.done() ? out : std::nullopt;
}
std::string encode(const Chunk& chunk) { return encode_histograms(chunk, kFirst); }
std::optional<Chunk> decode(std::string_view bytes) { return decode_histograms(bytes, kFirst, kChunkSlots); }

// Latencies whose logarithm is roughly normal; identical on every machine.
struct Latencies {
  int samples = 100;
  double deviation = 24;  // standard deviation, in buckets
  HistogramIndex most = 33'300;
};
Chunk latencies(int slots, const Latencies& of = {}) {
  std::mt19937_64 random(7);
  Chunk chunk;
  for (Slot slot = kFirst; slot < kFirst + slots; ++slot) {
    chunk.push_back({slot, {}});
    for (int i = 0; i < of.samples; ++i) {
      double sum = -6;  // of twelve uniform numbers: near enough
      for (int k = 0; k < 12; ++k) sum += static_cast<double>(random() >> 11) * 0x1p-53;
      const auto away = static_cast<HistogramIndex>(sum * of.deviation);
      chunk.back().histogram.add(of.most + away);
    }
  }
  return chunk;
}

// Slots of arbitrary histograms, or of ones that resemble the slot before.
rc::Gen<Chunk> chunks() {
  return rc::gen::exec([] {
    const auto parts = *rc::gen::scale(0.4, rc::gen::container<std::vector<SparseHistogram>>(histograms()));
    Chunk chunk;
    Slot slot = kFirst;
    SparseHistogram histogram;
    for (const SparseHistogram& part : parts) {
      slot += *rc::gen::weightedElement<Slot>({{8, 0}, {1, 1}, {1, 17}});
      if (slot >= kFirst + kChunkSlots) break;
      if (*rc::gen::inRange(0, 4) == 0) histogram = {};
      histogram.merge(part);
      if (histogram.is_empty()) continue;
      chunk.push_back({slot++, histogram});
    }
    return chunk;
  });
}

RC_GTEST_PROP(HistogramCodec, DecodesWhatItEncoded, ()) {
  const SparseHistogram h = *some_histograms();
  RC_ASSERT(unquick(quick(h)) == h);
}

RC_GTEST_PROP(HistogramCodec, DecodesWhatItEncodedOfAChunk, ()) {
  const Chunk chunk = *chunks();
  const std::string value = encode(chunk);
  RC_ASSERT(decode(value) == chunk);
  RC_ASSERT(encode_histograms(chunk, kFirst) == value);
}

TEST(HistogramCodec, DecodesChunksOfEverySizeAndShape) {
  for (const int slots : {1, 2, 9, 10, 60, static_cast<int>(kChunkSlots)}) {
    for (const Latencies& of :
         {Latencies{1, 24}, Latencies{10, 1}, Latencies{100, 24}, Latencies{300, 200, 0}}) {
      if (slots * of.samples > 250'000) continue;
      const Chunk chunk = latencies(slots, of);
      EXPECT_EQ(decode(encode(chunk)), chunk) << slots << " slots of " << of.samples;
    }
  }
}

TEST(HistogramCodec, DecodesTheExtremes) {
  const SparseHistogram ends = histogram_of({{-kHistogramIndexMax, 1}, {kHistogramIndexMax, 1}});
  const SparseHistogram most = histogram_of({{kHistogramIndexMax, SparseHistogram::kCountMax}});
  const SparseHistogram least = histogram_of({{-kHistogramIndexMax, SparseHistogram::kCountMax - 1}, {0, 1}});
  SparseHistogram all;
  for (HistogramIndex i = -kHistogramIndexMax; i <= kHistogramIndexMax; ++i) all.add(i);
  Chunk chunk;
  for (const SparseHistogram& h : {ends, most, least, all}) EXPECT_EQ(unquick(quick(h)), h);
  for (Slot slot = kFirst; slot < kFirst + 40; ++slot) {
    chunk.push_back({slot, slot % 3 == 0 ? ends : slot % 3 == 1 ? most : least});
  }
  chunk.push_back({kFirst + kChunkSlots - 1, most});
  EXPECT_EQ(decode(encode(chunk)), chunk);
  chunk[7].histogram = all;  // joined buckets are not modelled
  EXPECT_EQ(decode(encode(chunk)), chunk);
}

// Every slot uses new buckets, so that the number of means keeps growing.
TEST(HistogramCodec, UsesThePlainCodingIfModellingWouldTakeTooLong) {
  std::mt19937_64 random(7);
  Chunk chunk;
  for (Slot slot = kFirst; slot < kFirst + 1000; ++slot) {
    const bool is_wide = slot == kFirst;
    chunk.push_back({slot, histogram_of({{5, 1}})});
    for (HistogramIndex i = 0; is_wide && i < 2000; ++i) chunk.back().histogram.add(3 * i, uint64_t{1} << 30);
  }
  const std::string value = encode(chunk);
  EXPECT_EQ(value[0], 1);
  EXPECT_EQ(decode(value), chunk);
}

TEST(HistogramCodec, NoSlotsTakeFewBytes) {
  EXPECT_EQ(hex(encode({})), "0100");
  EXPECT_EQ(decode(encode({})), Chunk());
}

// Bounds with a small margin: good predictions make it small.
TEST(HistogramCodec, LatenciesTakeFewBytes) {
  const auto per_slot = [](const Chunk& chunk) { return encode(chunk).size() / chunk.size(); };
  EXPECT_LE(per_slot(latencies(60, {100, 24})), 25U);
  EXPECT_LE(per_slot(latencies(360, {100, 24})), 24U);
  EXPECT_LE(per_slot(latencies(60, {1000, 14})), 40U);
  EXPECT_LE(per_slot(latencies(360, {1000, 14})), 38U);
  EXPECT_LE(quick(latencies(1).front().histogram).size(), 66U);
  // Constant histograms are nearly free.
  Chunk constant(2000, latencies(1).front());
  for (size_t i = 0; i < constant.size(); ++i) constant[i].slot = kFirst + static_cast<Slot>(i);
  EXPECT_LE(encode(constant).size(), 3500U);
  EXPECT_EQ(decode(encode(constant)), constant);
}

TEST(HistogramCodec, TheQuickCodingHasGoldenBytes) {
  struct Golden {
    std::vector<SparseHistogram::Cell> cells;
    std::string bytes;
  };
  for (const Golden& g : {
           Golden{{{kHistogramIndexOfOne, 1}}, "010000"},
           Golden{{{33'300, 1}, {33'301, 15}, {33'303, 16}, {33'320, 200}, {33'400, 1}},
                  "05e608000e1f00ff01b801f040"},
           Golden{{{-kHistogramIndexMax, 3}, {kHistogramIndexMax, uint64_t{1} << 50}},
                  "0281ff0b02ffb0ff07f0ffffffffffff01"},
       }) {
    EXPECT_EQ(hex(quick(histogram_of(g.cells))), g.bytes);
    EXPECT_EQ(unquick(unhex(g.bytes)), histogram_of(g.cells));
  }
  const auto joined = SparseHistogram::from_cells({{33'313, 2}, {33'345, 1}}, 5);
  EXPECT_EQ(hex(quick(*joined)), "000502800901f010");
  EXPECT_EQ(unquick(unhex("000502800901f010")), joined);
}

TEST(HistogramCodec, ImpossibleJoinedBucketsAreRefused) {
  for (const std::string_view none : {"00", "0000", "000001", "00000100", "000801800900", "0005", "00050200",
                                      "000502820901f010", "000502800901f011", "00050280"}) {
    EXPECT_EQ(unquick(unhex(none)), std::nullopt) << none;
  }
}

struct GoldenChunk {
  Chunk chunk;
  std::string bytes;
};
std::vector<GoldenChunk> golden_chunks() {
  Chunk wide = latencies(12, {40, 8});
  wide[3].histogram = histogram_of({{-7, 1}, {0, 5'000'000'000}, {9'000, 77}});
  wide[11].slot += 30;
  return {{{{kFirst + 3, histogram_of({{33'300, 2}, {33'305, 1}})}}, "01010302e6080140"},
          {latencies(10, {12, 5}),
           "020a5785412928a1d56b8b47dac34bd8c1a68298f6f2073528a0d7cdd13fce3d4d5c22f781e5e78f1164e366d4eecd157"
           "d5641d36d25b3c069892b44"},
          {latencies(12, {3000, 6}),
           "020ccc038007dcdd3b6fd83a48109c83701529e3088ba9a92c6affb6be6df3cf8c0ee55cbad4c5ad39349d0cea178c2cc"
           "9852c9043b16d20b446d6fe944b680ed3070260243894943bb94c57597b59047ef733a58da5195354e714c3a5b6e65265"
           "9d46fe2209d2dd15710062e059cc1421f90def64aae0bdf3bd44b9b1e7f9b38ca2a2df2a4aa51cf35fb2dc0e152a7b0b4"
           "d487e53ed84a758b5727c59db7ad087fe032e35db126efb09cd1bf44773670a458d5a9dc4a5be95253c0c191ed72526cf"
           "fe70a4d3a2d1949a4e819392814a96faf4240e89858c0a273b3b8652ebd52e0f06ce15251815c065a286e743caece8ad1"
           "c78d7c243c1ee019b57566038691eeaad5602688406f52eaf40070dc321e2c7ee3a82ca78e15e039dd928bef96d0c8b27"
           "3c966b3eecd41af3ba0fccaf48545ba6617aabed7d59ed2acd275b31fd2a075d5396378e84aefcb19eae2ffe00e43f705"
           "8ccb51fd2e26c8fa141f847f1df"},
          {wide,
           "020cf60181851122cc68cc844164e310e1f542f8b90945bda1db02def0dd289c9b1bd5ecd69d51fac51ccfa10c889d726"
           "dc6418b9ba103811c3fa6d0420f6734dba4a6a5e2a823456a29d47d08709cfbe2c06bb606338de8753c836c631eadb0b7"
           "1f7591d5eecb995c6107b964772455f256044c1d7787b2004c6ca790e14cc67b8014c42df410bd9a1a86a3a06a63d9fd5"
           "e3d103ea009d6108f1ffd841d845cbbc703253309f260ef01fab7b4"}};
}

TEST(HistogramCodec, AChunkHasGoldenBytes) {
  for (const GoldenChunk& g : golden_chunks()) {
    EXPECT_EQ(hex(encode(g.chunk)), g.bytes);
    EXPECT_EQ(decode(unhex(g.bytes)), g.chunk);
  }
}

TEST(HistogramCodec, RefusesBytesThatNoEncoderWrites) {
  struct Case {
    std::string bytes;
    std::string why;
  };
  for (const Case& c : {
           Case{bytes({}), "nothing"},
           Case{bytes({1}), "no cells"},
           Case{bytes({1, 0}), "no cell"},
           Case{bytes({2, 0, 0}), "one cell of two"},
           Case{bytes({1, 0, 0x10}), "a gap before the first cell"},
           Case{bytes({1, 0, 0x0f}), "no rest of the count"},
           Case{bytes({1, 0, 0x0f, 0x80, 0}), "a count in more bytes than it needs"},
           Case{bytes({2, 0, 0, 0xf0, 0x80, 0}), "a gap in more bytes than it needs"},
           Case{bytes({1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0}), "an index out of range"},
           Case{bytes({2, 0xfe, 0xff, 0x03, 0, 0}), "a second index out of range"},
           Case{bytes({1, 0, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f}),
                "a count over the limit"},
           Case{bytes({1, 0, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}),
                "a count of 2^64"},
           Case{bytes({0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0}), "more cells than bytes"},
       }) {
    EXPECT_EQ(unquick(c.bytes), std::nullopt) << c.why;
  }
  for (const Case& c : {
           Case{bytes({}), "nothing"},
           Case{bytes({0, 0}), "an unknown version"},
           Case{bytes({3, 0}), "a later version"},
           Case{bytes({1, 0, 0}), "a byte too many"},
           Case{bytes({1, 1, 0, 0}), "an empty histogram"},
           Case{bytes({1, 1, 0xf0, 0x10, 1, 0, 0}), "a slot after the chunk"},
           Case{bytes({1, 2, 0xef, 0x10, 1, 0, 0, 0, 1, 0, 0}), "the second slot after the chunk"},
           Case{bytes({1, 0xf1, 0x10}), "more slots than the chunk has"},
           Case{bytes({2, 2, 1, 0}), "fewer cells than slots"},
           Case{bytes({2, 1, 0x81, 0x20, 0}), "more cells than are modelled"},
           Case{bytes({2, 0, 0, 0}), "a byte too many"},
       }) {
    EXPECT_EQ(decode(c.bytes), std::nullopt) << c.why;
  }
  EXPECT_EQ(unquick(bytes({1, 0, 0x0f, 0})), histogram_of({{kHistogramIndexOfOne, 16}}));
  EXPECT_TRUE(decode(bytes({1, 1, 0xef, 0x10, 1, 0, 0})));
}

// There is no checksum here: damaged bytes are refused or decode to some possible histogram.
void expect_refused_or_possible(std::string_view value) {
  const auto chunk = decode(value);
  if (!chunk) return;
  Slot next = kFirst;
  for (const SlotHistogram& h : *chunk) {
    EXPECT_GE(h.slot, next);
    EXPECT_FALSE(h.histogram.is_empty());
    next = h.slot + 1;
  }
  EXPECT_LE(next, kFirst + kChunkSlots);
  EXPECT_EQ(decode(encode(*chunk)), *chunk);
}

TEST(HistogramCodec, ATruncationIsRefusedOrDecodesToPossibleHistograms) {
  for (const GoldenChunk& g : golden_chunks()) {
    const std::string value = encode(g.chunk);
    for (size_t size = 0; size < value.size(); ++size)
      expect_refused_or_possible(std::string_view(value).substr(0, size));
    EXPECT_EQ(decode(value + std::string(9, '\0')), std::nullopt);
  }
}

TEST(HistogramCodec, ABitFlipIsRefusedOrDecodesToPossibleHistograms) {
  for (const GoldenChunk& g : golden_chunks()) {
    std::string value = encode(g.chunk);
    for (size_t bit = 0; bit < value.size() * 8; ++bit) {
      value[bit / 8] = static_cast<char>(value[bit / 8] ^ (1 << bit % 8));
      expect_refused_or_possible(value);
      value[bit / 8] = static_cast<char>(value[bit / 8] ^ (1 << bit % 8));
    }
  }
}

TEST(HistogramCodec, DamageOfTheQuickCodingIsRefusedOrDecodesToAPossibleHistogram) {
  const std::string value = quick(latencies(1, {200, 5}).front().histogram);
  for (size_t size = 0; size < value.size(); ++size) EXPECT_FALSE(unquick(value.substr(0, size)));
  for (size_t bit = 0; bit < value.size() * 8; ++bit) {
    std::string damaged = value;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const auto h = unquick(damaged);
    EXPECT_EQ(h ? quick(*h) : damaged, damaged);
  }
}

}  // namespace
}  // namespace statmill
