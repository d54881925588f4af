// What is damaged is never taken for data: truncations, bit flips, misplaced frames, payloads that cannot be
// true.
#include <gtest/gtest.h>

#include "tests/storage/buckets.h"
#include "tests/storage/codec/codec_words.h"

namespace statmill {
namespace {

using namespace codec_words;

TEST(Codec, EveryTruncationOfAFrameIsDamage) {
  for (const std::string& frame : sample_frames()) {
    for (size_t size = 1; size < frame.size(); ++size) {
      const DecodedChunk decoded = decode(std::string_view(frame).substr(0, size));
      EXPECT_GT(decoded.damaged_frames, 0U) << size << " bytes of " << hex(frame);
      EXPECT_TRUE(decoded.buckets.empty());
    }
  }
}

TEST(Codec, EveryBitFlipIsDamageAndNeverOtherData) {
  for (std::string frame : sample_frames()) {
    for (size_t bit = 0; bit < frame.size() * 8; ++bit) {
      frame[bit / 8] = static_cast<char>(frame[bit / 8] ^ (1 << bit % 8));
      const DecodedChunk decoded = decode(frame);
      EXPECT_GT(decoded.damaged_frames, 0U) << "bit " << bit << " of " << hex(frame);
      EXPECT_TRUE(decoded.buckets.empty());
      frame[bit / 8] = static_cast<char>(frame[bit / 8] ^ (1 << bit % 8));
    }
  }
}

TEST(Codec, ADamagedFrameDoesNotTakeItsNeighboursWithIt) {
  const std::string first = encode({{kFirst, gauge(1)}});
  const std::string last = encode({{kFirst + 2, gauge(3)}});
  std::string middle = encode({{kFirst + 1, gauge(2)}});
  middle.back() = static_cast<char>(middle.back() ^ 1);
  const DecodedChunk decoded = decode(first + middle + last);
  EXPECT_EQ(decoded.damaged_frames, 1U);
  EXPECT_EQ(decoded.buckets, (std::vector<SlotBucket>{{kFirst, gauge(1)}, {kFirst + 2, gauge(3)}}));
}

TEST(Codec, FramesOfAnotherKeyAreDamage) {
  const std::string value = encode({{kFirst, gauge(1)}});
  for (const ChunkKey& key : {ChunkKey{1, 7, 42}, ChunkKey{0, 8, 42}, ChunkKey{0, 7, 43}}) {
    EXPECT_EQ(decode_chunk(key, kFirst, kChunkSlots, value).damaged_frames, 1U);
  }
}

TEST(Codec, RefusesPayloadsThatCannotBeTrueThoughTheirChecksumIsRight) {
  struct Case {
    std::string payload;
    std::string why;
  };
  const std::string huge_varint = bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f});
  for (const Case& c : {
           Case{"", "nothing"},
           Case{bytes({0, 0, 2, 0}), "no buckets"},
           Case{bytes({1, 0, 2, 0}), "no value"},
           Case{bytes({1, 0, 2, 0, 2, 2}), "a byte too many"},
           Case{huge_varint + bytes({0, 2, 0, 2}), "more buckets than bytes"},
           Case{bytes({1}) + huge_varint + bytes({2, 0, 2}), "first slot outside the chunk"},
           Case{bytes({1, 0xf0, 0x10, 2, 0, 2}), "first slot one past the chunk"},
           Case{bytes({2, 0xef, 0x10, 2, 0, 2, 2}), "second slot one past the chunk"},
           Case{bytes({2, 0, 3, 0}) + huge_varint + bytes({2, 2}), "gap out of the chunk"},
           Case{bytes({1, 0, 0x42, 0, 2}), "unknown flag"},
           Case{bytes({1, 0, 2, 19, 2}), "scale above 18"},
           Case{bytes({1, 0, 2, 0xff, 2}), "negative scale"},
           Case{bytes({1, 0, 8, 0, 1, 2}), "events that are no singles"},
           Case{bytes({1, 0, 0x12, 0, 2}), "singles that are irregular"},
           Case{bytes({1, 0, 0x22, 0, 2}), "singles with squares"},
           Case{bytes({1, 0, 0, 0, 0, 2}), "count 0"},
           Case{bytes({1, 0, 0, 0}) + huge_varint + bytes({2, 0, 0, 0}), "count over the limit"},
           Case{bytes({1, 0, 0, 0, 3, 2, 0, 1, 0}), "sum above n max"},
           Case{bytes({1, 0, 0, 0, 3, 2, 2, 3, 1}), "n Q - S^2 not congruent to a sum of squares"},
           Case{bytes({1, 0, 0x20, 0, 3, 2, 2, 3, 1}), "sum of squares below S^2 / n"},
           Case{bytes({1, 0, 6, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0}), "infinity"},
           Case{bytes({1, 0, 6, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0}), "not a number"},
       }) {
    const DecodedChunk decoded = decode(seal(0x10, c.payload));
    EXPECT_EQ(decoded.damaged_frames, 1U) << c.why;
    EXPECT_TRUE(decoded.buckets.empty()) << c.why;
  }
  EXPECT_EQ(decode(seal(0x10, bytes({1, 0, 2, 0, 2}))).buckets,
            (std::vector<SlotBucket>{{kFirst, gauge(1)}}));
  for (const Case& c : {
           Case{bytes({}), "nothing"},
           Case{bytes({0}), "no entries"},
           Case{bytes({4, 2}), "an unknown flag"},
           Case{bytes({0, 2, 0x80, 2}), "the same slot again"},
           Case{bytes({0, 0x82, 0, 2}), "a slot before the chunk"},
           Case{bytes({0, 0x82, 0xe2, 0x21, 2}), "a slot behind the chunk"},
           Case{bytes({0, 0x85, 2, 2, 2, 1}), "a remainder as large as the count"},
           Case{bytes({0, 0x85, 2, 2, 1}), "an entry cut short"},
       }) {
    const DecodedChunk decoded = decode(seal(0x12, c.payload));
    EXPECT_EQ(decoded.damaged_frames, 1U) << c.why;
    EXPECT_TRUE(decoded.buckets.empty()) << c.why;
  }
  EXPECT_EQ(decode(seal(0x12, bytes({0, 2, 2}))).buckets,
            (std::vector<SlotBucket>{{kFirst, gauge(1)}, {kFirst + 1, gauge(2)}}));
  for (const std::string& payload : {bytes({0, 0}), bytes({0xf0, 0x10, 1}), bytes({0xef, 0x10, 2}),
                                     bytes({0, 1, 0}), bytes({0}) + huge_varint, std::string()}) {
    EXPECT_EQ(decode(seal(0x20, payload)).damaged_frames, 1U) << hex(payload);
  }
}

}  // namespace
}  // namespace statmill
