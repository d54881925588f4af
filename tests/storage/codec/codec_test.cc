#include "storage/codec/codec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "storage/bucket_check.h"
#include "tests/storage/buckets.h"
#include "tests/storage/codec/codec_helpers.h"

namespace statmill {
namespace {

using namespace codec_helpers;

RC_GTEST_PROP(Codec, DecodesWhatItEncoded, ()) {
  const auto buckets = *slot_buckets(kFirst, kFirst + kChunkSlots, any_buckets());
  const std::string value = encode(buckets);
  const DecodedChunk decoded = decode(value);
  RC_ASSERT(decoded.damaged_frames == 0U);
  RC_ASSERT(decoded.combine == Combine::kMerge);
  RC_ASSERT(decoded.buckets == buckets);
  RC_ASSERT(encode(decoded.buckets) == value);
}

RC_GTEST_PROP(Codec, KeepsOnlyTheTotalOfEvents, ()) {
  const auto buckets = *rc::gen::nonEmpty(slot_buckets(kFirst, kFirst + kChunkSlots, exact_buckets()));
  std::vector<SlotBucket> totals;
  for (const SlotBucket& b : buckets) {
    totals.push_back({b.slot, Bucket()});
    totals.back().bucket.add_event(b.bucket);
  }
  const DecodedChunk decoded = decode(encode(buckets, Combine::kAddEvents));
  RC_ASSERT(decoded.combine == Combine::kAddEvents);
  RC_ASSERT(decoded.buckets == totals);
}

TEST(Codec, KeepsExtremeBucketsAloneAndTogether) {
  std::vector<SlotBucket> all;
  for (const Bucket& bucket : extreme_buckets()) {
    all.push_back({kFirst + static_cast<Slot>(all.size()) * 3, bucket});
    EXPECT_EQ(decode(encode({all.back()})).buckets, std::vector<SlotBucket>{all.back()});
  }
  const DecodedChunk decoded = decode(encode(all));
  EXPECT_EQ(decoded.buckets, all);
  EXPECT_EQ(decoded.damaged_frames, 0U);
}

TEST(Codec, EqualBucketsYieldEqualBytesWhateverTheirScale) {
  const Bucket coarse = Bucket::from_decimal(1, single_decimal(15, 1));
  const Bucket fine = Bucket::from_decimal(1, single_decimal(1'500'000, 6));
  EXPECT_EQ(encode({{kFirst, coarse}}), encode({{kFirst, fine}}));
}

// A neighbour with many decimals must not make a large value overflow.
TEST(Codec, ANeighboursDigitsDoNotMakeALargeValueInexact) {
  const Bucket fine = Bucket::from_decimal(1, single_decimal(1, 12));
  Bucket five = decode(encode({{kFirst, gauge(5)}, {kFirst + 1, fine}})).buckets.at(0).bucket;
  five.merge(gauge(8'000'000'000'000'000));
  EXPECT_TRUE(five.is_decimal());
  EXPECT_EQ(five.sum(), 8'000'000'000'000'005.0);
}

// Found by fuzzing: 0.0 + -0.0 is 0.0, so computing the total of a total changed its sign.
TEST(Codec, AnEventTotalOfMinusZeroKeepsItsSign) {
  const std::vector<SlotBucket> buckets = {{kFirst, Bucket::of(Number::of(-0.0))}};
  EXPECT_EQ(decode(encode(buckets, Combine::kAddEvents)).buckets, buckets);
}

TEST(Codec, NoBucketsNeedNoBytes) {
  EXPECT_EQ(encode({}), "");
  EXPECT_TRUE(decode("").buckets.empty());
}

// Buckets for every shape of frame; the golden bytes below are made of them.
struct Golden {
  std::vector<SlotBucket> buckets;
  Combine combine = Combine::kMerge;
  std::string bytes;
};

Bucket three_samples() {
  Bucket three = gauge(150, 2);
  three.merge(gauge(-275, 2));
  three.merge(gauge(3));
  return three;
}

Bucket two_samples() {
  Bucket two = gauge(4);
  two.merge(gauge(6));
  return two;
}

Bucket two_doubles() {
  Bucket reals = Bucket::of(Number::of(0.5));
  reals.merge(Bucket::of(Number::of(1.5)));
  return reals;
}

Bucket four_long_decimals() {
  Bucket four = gauge(33'501'999'999'999'995, 15);
  four.merge(gauge(10'000'000'000'000'001, 17));
  four.merge(gauge(99'999'999'999'999'999, 17));
  four.merge(gauge(25, 1));
  return four;
}

std::vector<SlotBucket> two_levels() {
  std::vector<SlotBucket> out;
  for (Slot i = 0; i < 300; ++i) out.push_back({kFirst + i, gauge(i < 100 ? 5 : 7)});
  return out;
}

std::vector<SlotBucket> squares_walk(int samples) {
  std::vector<SlotBucket> out;
  int64_t value = 100;
  for (Slot i = 0; i < 12; ++i) {
    Bucket bucket;
    for (int k = 0; k < samples + (i == 5 ? 1 : 0); ++k)
      bucket.merge(gauge(value += (i * 7 + k * k * 5) % 11 - 5, 1));
    out.push_back({kFirst + 2 * i, bucket});
  }
  return out;
}

TEST(Codec, HasGoldenBytes) {
  const std::vector<Golden> golden = {
      {{{kFirst, gauge(1)}, {kFirst + 1, gauge(2)}}, Combine::kMerge, "1008020002001908e00305040284"},
      {{{kFirst + 3, gauge(-125, 2)}, {kFirst + 9, gauge(7)}},
       Combine::kMerge,
       "100b02032302190838063e02f8d2202192"},
      {{{kFirst + 300, three_samples()}, {kFirst + 301, two_samples()}, {kFirst + 302, gauge(7)}},
       Combine::kMerge,
       "101503ac023002190a06e1c740c68010485228808141411799994b"},
      {{{kFirst, Bucket::of(Number::of(0.5))}}, Combine::kMerge, "100c010006f801000000000000ff8f1d0ea9"},
      {{{kFirst, two_doubles()}},
       Combine::kMerge,
       "102901000418c01f00000000000000801f000000000000f08f1f000000000000fc8f1f000000000000f00fa95aad58"},
      {{{kFirst, gauge(9)}}, Combine::kAddEvents, "100701002a00091000176b1c42"},
      {{{kFirst, extreme_buckets()[3]}},
       Combine::kMerge,
       "1022010080032000007f0000000000000000fe00000000000000001f0000000000000002677bd870"},
      {{{kFirst, extreme_buckets()[5]}}, Combine::kMerge, "100c010040001804410820f87f2831d1bb1c"},
      {two_levels(), Combine::kMerge, "100dac020002000208e10f7004c70635410a11"},
      {squares_walk(3), Combine::kMerge,
       "10280c001101005455d50c02009ebf000408418c0c8b8ec6ebaaeb2200009c30f90c020096c474559102954fe17f"},
      {squares_walk(10), Combine::kMerge,
       "10390c001101005455d514040078fe12223808d10709281ab1e5afd09f73210c4038535dc4e50961008119810e994e86c6bbb"
       "b41dac6a4819950bc973be77f"},
      {{{kFirst, gauge(4096)}, {kFirst + 7, gauge(-8192)}, {kFirst + 8, gauge(40960)}},
       Combine::kMerge,
       "100d03002300802008502a5080011b80f5de7c"},
      {{{kFirst, gauge(33'501'999'999'999'995, 15)}, {kFirst + 1, four_long_decimals()}},
       Combine::kMerge,
       "104f020090112130043f3f0c7e835e264d7e0e40cf889e19d956fb9e017a82dfa815ddcabbc44fa26746b6d5be67e0afcaf8"
       "a51344e3f08784be7258bd8b7cf1e4bed3a67e9d7ff84b4217cbd4c9041601a4c0252f"},
  };
  for (const Golden& g : golden) {
    EXPECT_EQ(hex(encode(g.buckets, g.combine)), g.bytes);
    EXPECT_EQ(decode(encode(g.buckets, g.combine)).buckets, g.buckets);
  }
  EXPECT_EQ(hex(erase(kFirst + 2, kFirst + 302)), "200302ac02fb71878e");
}

TEST(Codec, ARunOfEntriesHasGoldenBytes) {
  const std::vector<Golden> golden = {
      {{{kFirst, gauge(1)}, {kFirst + 1, gauge(2)}}, Combine::kMerge, "1103000202278951fc"},
      {{{kFirst + 3, gauge(-125, 2)}, {kFirst + 9, gauge(7)}},
       Combine::kMerge,
       "110a008a0802f901820cf20c99ba18eb"},
      {{{kFirst + 300, three_samples()}, {kFirst + 301, two_samples()}},
       Combine::kMerge,
       "111500aeda0402037401cd02f201fced0a8502f4060064a29bbd31"},
      {{{kFirst, Bucket::of(Number::of(0.5))}, {kFirst + 1, two_doubles()}},
       Combine::kMerge,
       "112c00913fe0000000000000954000000000000000023fe00000000000003fe00000000000003ff800000000000020d5cc0"
       "7"},
      {{{kFirst, gauge(9)}, {kFirst + 5, gauge(11)}}, Combine::kAddEvents, "11050812820a041fc42c37"},
      {{{kFirst, gauge(33'501'999'999'999'995, 15)}, {kFirst + 1, four_long_decimals()}},
       Combine::kMerge,
       "113c00890ff6ff9e9487f98277cd110486feced6f0f3a8df190082bfa3add1dbf2dd0c89bde6c8edeabecf2192a19796d3ce"
       "ccc0c5c9fb9dedd4dfceff1074c31ec1"},
  };
  for (const Golden& g : golden) {
    const std::string frame = encode_run(g.buckets, g.combine);
    EXPECT_EQ(hex(frame), g.bytes);
    EXPECT_EQ(decode(frame).buckets, g.buckets);
    EXPECT_EQ(decode(frame).combine, g.combine);
    EXPECT_EQ(compact(frame), encode(g.buckets, g.combine));
  }
}

RC_GTEST_PROP(Codec, ARunOfEntriesDecodesToItsBuckets, ()) {
  const auto buckets = *rc::gen::nonEmpty(slot_buckets(kFirst, kFirst + kChunkSlots, any_buckets()));
  const DecodedChunk decoded = decode(encode_run(buckets));
  RC_ASSERT(decoded.damaged_frames == 0U);
  RC_ASSERT(decoded.buckets == buckets);
}

RC_GTEST_PROP(Codec, ARunOfEventEntriesKeepsOnlyTheTotals, ()) {
  const auto buckets = *rc::gen::nonEmpty(slot_buckets(kFirst, kFirst + kChunkSlots, exact_buckets()));
  const DecodedChunk decoded = decode(encode_run(buckets, Combine::kAddEvents));
  RC_ASSERT(decoded.buckets == decode(encode(buckets, Combine::kAddEvents)).buckets);
}

TEST(Codec, FragmentsOfOneSlotMerge) {
  Bucket both = gauge(1);
  both.merge(gauge(25, 1));
  EXPECT_EQ(decode(encode({{kFirst, gauge(1)}}) + encode({{kFirst, gauge(25, 1)}})).buckets,
            (std::vector<SlotBucket>{{kFirst, both}}));
}

TEST(Codec, FragmentsOfOneEventSlotAddTheirTotals) {
  const std::string value = encode({{kFirst, gauge(1)}}, Combine::kAddEvents) +
                            encode({{kFirst, gauge(25, 1)}}, Combine::kAddEvents);
  EXPECT_EQ(decode(value).buckets, (std::vector<SlotBucket>{{kFirst, gauge(35, 1)}}));
  EXPECT_EQ(compact(value), encode({{kFirst, gauge(35, 1)}}, Combine::kAddEvents));
}

TEST(Codec, EraseEmptiesOnlyEarlierFrames) {
  const std::string old = encode({{kFirst + 1, gauge(1)}, {kFirst + 2, gauge(2)}, {kFirst + 3, gauge(3)}});
  const std::string value = old + erase(kFirst + 2, kFirst + 3) + encode({{kFirst + 2, gauge(9)}});
  EXPECT_EQ(
      decode(value).buckets,
      (std::vector<SlotBucket>{{kFirst + 1, gauge(1)}, {kFirst + 2, gauge(9)}, {kFirst + 3, gauge(3)}}));
}

TEST(Codec, CompactionDropsErasesOnlyIfNothingOlderExists) {
  const std::string value = erase(kFirst, kFirst + 2) + encode({{kFirst, gauge(9)}});
  EXPECT_EQ(compact(value, true), encode({{kFirst, gauge(9)}}));
  EXPECT_EQ(decode(encode({{kFirst, gauge(1)}}) + compact(value, false)).buckets,
            (std::vector<SlotBucket>{{kFirst, gauge(9)}}));
}

TEST(Codec, CompactionJoinsErasesThatTouch) {
  const std::string value = erase(kFirst + 4, kFirst + 6) + erase(kFirst, kFirst + 1) +
                            erase(kFirst + 6, kFirst + 7) + erase(kFirst + 1, kFirst + 2) +
                            erase(kFirst + 5, kFirst + 6);
  EXPECT_EQ(compact(value, false), erase(kFirst, kFirst + 2) + erase(kFirst + 4, kFirst + 7));
}

TEST(Codec, CompactionMakesOneFrameOfMany) {
  std::string value;
  std::vector<SlotBucket> all;
  for (Slot slot = kFirst; slot < kFirst + 100; ++slot) {
    all.push_back({slot, gauge(slot, 2)});
    value += encode({all.back()});
  }
  EXPECT_EQ(compact(value), encode(all));
  EXPECT_LT(compact(value).size(), value.size() / 5);
}

TEST(Codec, CompactionKeepsUnreadableFrames) {
  std::string damaged = encode({{kFirst + 1, gauge(2)}});
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  const std::string unknown = seal(0x7f, "of a later program");
  const std::string torn = encode({{kFirst + 5, gauge(2)}}).substr(0, 5);
  const std::string value =
      encode({{kFirst, gauge(1)}}) + damaged + unknown + encode({{kFirst, gauge(3)}}) + torn;
  const CompactedChunk compacted = compact_chunk(kKey, kFirst, kChunkSlots, value, true);
  EXPECT_EQ(compacted.damaged_frames, 3U);
  EXPECT_NE(compacted.value.find(damaged), std::string::npos);
  EXPECT_NE(compacted.value.find(unknown), std::string::npos);
  EXPECT_NE(compacted.value.find(torn), std::string::npos);
  EXPECT_EQ(decode(compacted.value).damaged_frames, 3U);
  EXPECT_EQ(decode(compacted.value).buckets, decode(value).buckets);
  EXPECT_EQ(compact(compacted.value), compacted.value);
}

// A later program may know the frame's kind, and its meaning may depend on the erase frames around it.
TEST(Codec, CompactionMovesNothingAcrossAFrameOfUnknownKind) {
  const std::string unknown = seal(0x7f, "x");
  const std::string value = erase(kFirst, kFirst + 5) + unknown + erase(kFirst + 7, kFirst + 8);
  EXPECT_EQ(compact(value, false), value);
  EXPECT_EQ(compact(value, true), unknown + erase(kFirst + 7, kFirst + 8));
}

TEST(Codec, AppendedFramesSurviveATornValueBeforeThem) {
  const std::string torn = encode({{kFirst, gauge(1)}}).substr(0, 5);
  std::string value;
  append_frames(value, kKey, torn);
  append_frames(value, kKey, encode({{kFirst + 1, gauge(2)}}));
  const DecodedChunk decoded = decode(value);
  EXPECT_EQ(decoded.damaged_frames, 1U);
  EXPECT_EQ(decoded.buckets, (std::vector<SlotBucket>{{kFirst + 1, gauge(2)}}));
}

// A history of one chunk, fragments written and ranges erased, with the expected content.
struct History {
  std::vector<std::string> fragments;
  std::vector<SlotBucket> meaning;

  std::string joined(size_t begin, size_t end) const {
    std::string value;
    for (size_t i = begin; i < end; ++i) value += fragments[i];
    return value;
  }
};

History generate_history(const rc::Gen<Bucket>& buckets, Combine combine) {
  constexpr Slot kSpan = 12;
  History history;
  std::map<Slot, Bucket> model;
  const int steps = *rc::gen::inRange(1, 8);
  for (int i = 0; i < steps; ++i) {
    if (*rc::gen::inRange(0, 4) == 0) {
      const Slot begin = *rc::gen::inRange<Slot>(kFirst, kFirst + kSpan);
      const Slot end = *rc::gen::inRange<Slot>(begin + 1, kFirst + kSpan + 1);
      model.erase(model.lower_bound(begin), model.lower_bound(end));
      history.fragments.push_back(erase(begin, end));
      continue;
    }
    const auto fragment = *slot_buckets(kFirst, kFirst + kSpan, buckets);
    const bool as_run = !fragment.empty() && *rc::gen::arbitrary<bool>();
    history.fragments.push_back(as_run ? encode_run(fragment, combine) : encode(fragment, combine));
    for (const auto& [slot, bucket] : decode(history.fragments.back()).buckets) {
      combine == Combine::kMerge ? model[slot].merge(bucket) : model[slot].add_event(bucket);
    }
  }
  for (const auto& [slot, bucket] : model) history.meaning.push_back({slot, bucket});
  return history;
}

RC_GTEST_PROP(Codec, AHistoryMatchesAModel, ()) {
  const Combine combine = *rc::gen::element(Combine::kMerge, Combine::kAddEvents);
  const History history =
      generate_history(combine == Combine::kMerge ? any_buckets() : exact_buckets(), combine);
  const std::string value = history.joined(0, history.fragments.size());
  RC_ASSERT(decode(value).buckets == history.meaning);
  RC_ASSERT(decode(compact(value)).buckets == history.meaning);
  RC_ASSERT(decode(compact(value, false)).buckets == history.meaning);
  RC_ASSERT(compact(compact(value)) == compact(value));
}

RC_GTEST_PROP(Codec, CompactionIsAssociative, ()) {
  const Combine combine = *rc::gen::element(Combine::kMerge, Combine::kAddEvents);
  const History history = generate_history(exact_buckets(), combine);
  const size_t size = history.fragments.size();
  const size_t i = *rc::gen::inRange<size_t>(0, size + 1);
  const size_t j = *rc::gen::inRange<size_t>(i, size + 1);
  const std::string a = history.joined(0, i);
  const std::string b = history.joined(i, j);
  const std::string c = history.joined(j, size);
  const std::string whole = compact(a + b + c);
  RC_ASSERT(compact(compact(a) + b + c) == whole);
  RC_ASSERT(compact(compact(a) + compact(b, false) + compact(c, false)) == whole);
  RC_ASSERT(compact(a + compact(compact(b, false) + c, false)) == whole);
}

RC_GTEST_PROP(Codec, AnyBytesDecodeToBucketsInTheChunk, ()) {
  std::string value = *rc::gen::arbitrary<std::string>();
  if (*rc::gen::arbitrary<bool>()) value = seal(*rc::gen::element<uint8_t>(0x10, 0x11), value);
  const DecodedChunk decoded = decode(value);
  for (size_t i = 0; i < decoded.buckets.size(); ++i) {
    RC_ASSERT(decoded.buckets[i].slot >= kFirst && decoded.buckets[i].slot < kFirst + kChunkSlots);
    if (i > 0) RC_ASSERT(decoded.buckets[i - 1].slot < decoded.buckets[i].slot);
    RC_ASSERT(!decoded.buckets[i].bucket.is_empty());
  }
  RC_ASSERT(decode(compact(value)).buckets == decoded.buckets);
  RC_ASSERT(decode(compact(value)).damaged_frames == decoded.damaged_frames);
}

RC_GTEST_PROP(CombineInto, IsTheUnionOfBothLists, ()) {
  const auto a = *slot_buckets(0, 20, exact_buckets());
  const auto b = *slot_buckets(0, 20, exact_buckets());
  std::map<Slot, Bucket> model;
  for (const auto& [slot, bucket] : a) model[slot].merge(bucket);
  for (const auto& [slot, bucket] : b) model[slot].merge(bucket);
  std::vector<SlotBucket> expected;
  for (const auto& [slot, bucket] : model) expected.push_back({slot, bucket});
  std::vector<SlotBucket> combined = a;
  combine_into(combined, b, Combine::kMerge);
  RC_ASSERT(combined == expected);
}

}  // namespace
}  // namespace statmill
