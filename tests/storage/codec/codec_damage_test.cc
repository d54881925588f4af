#include <gtest/gtest.h>

#include "tests/storage/buckets.h"
#include "tests/storage/codec/codec_helpers.h"

namespace statmill {
namespace {

using namespace codec_helpers;

TEST(Codec, EveryTruncatedFrameIsDamaged) {
  for (const std::string& frame : sample_frames()) {
    for (size_t size = 1; size < frame.size(); ++size) {
      const DecodedChunk decoded = decode(std::string_view(frame).substr(0, size));
      EXPECT_GT(decoded.damaged_frames, 0U) << size << " bytes of " << hex(frame);
      EXPECT_TRUE(decoded.buckets.empty());
    }
  }
}

TEST(Codec, EveryBitFlipIsDetected) {
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

TEST(Codec, ADamagedFrameDoesNotAffectItsNeighbours) {
  const std::string first = encode({{kFirst, gauge(1)}});
  const std::string last = encode({{kFirst + 2, gauge(3)}});
  std::string middle = encode({{kFirst + 1, gauge(2)}});
  middle.back() = static_cast<char>(middle.back() ^ 1);
  const DecodedChunk decoded = decode(first + middle + last);
  EXPECT_EQ(decoded.damaged_frames, 1U);
  EXPECT_EQ(decoded.buckets, (std::vector<SlotBucket>{{kFirst, gauge(1)}, {kFirst + 2, gauge(3)}}));
}

TEST(Codec, FramesOfAnotherKeyAreDamaged) {
  const std::string value = encode({{kFirst, gauge(1)}});
  for (const ChunkKey& key : {ChunkKey{1, 7, 42}, ChunkKey{0, 8, 42}, ChunkKey{0, 7, 43}}) {
    EXPECT_EQ(decode_chunk(key, kFirst, kChunkSlots, value).damaged_frames, 1U);
  }
}

TEST(Codec, RefusesImpossiblePayloadsWithACorrectChecksum) {
  struct Case {
    std::string payload;
    std::string why;
  };
  const std::string huge_varint = bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f});
  const std::string two_gauges = bytes({2, 0, 2, 0, 0x19, 8, 0xe0, 3});  // as in storage/FORMAT.md
  for (const Case& c : {
           Case{"", "nothing"},
           Case{bytes({0, 0, 2, 0}), "no buckets"},
           Case{bytes({1, 0, 2, 0}), "no value"},
           Case{two_gauges + bytes({0}), "a byte too many"},
           Case{two_gauges.substr(0, two_gauges.size() - 1), "a byte too few"},
           Case{huge_varint + two_gauges.substr(1), "more buckets than the chunk has slots"},
           Case{bytes({1}) + huge_varint + two_gauges.substr(2), "first slot outside the chunk"},
           Case{bytes({1, 0xf0, 0x10}) + two_gauges.substr(2), "first slot one past the chunk"},
           Case{bytes({2, 0xef, 0x10}) + two_gauges.substr(2), "second slot one past the chunk"},
           Case{bytes({2, 0, 2, 19}) + two_gauges.substr(4), "scale above 18"},
           Case{bytes({2, 0, 2, 0xff}) + two_gauges.substr(4), "negative scale"},
           Case{bytes({2, 0, 8, 0}) + two_gauges.substr(4), "events that are not singles"},
           Case{bytes({2, 0, 0x12, 0}) + two_gauges.substr(4), "singles with means"},
           Case{bytes({2, 0, 0x42, 0}) + two_gauges.substr(4), "singles with a spread"},
           Case{bytes({2, 0, 0x22, 0, 0}) + two_gauges.substr(4), "unit 0"},
           Case{bytes({2, 0, 0x26}) + two_gauges.substr(4), "doubles with a unit"},
           Case{bytes({2, 0, 0x14}) + two_gauges.substr(4), "doubles with means"},
       }) {
    const DecodedChunk decoded = decode(seal(0x10, c.payload));
    EXPECT_EQ(decoded.damaged_frames, 1U) << c.why;
    EXPECT_TRUE(decoded.buckets.empty()) << c.why;
  }
  EXPECT_EQ(decode(seal(0x10, two_gauges)).buckets,
            (std::vector<SlotBucket>{{kFirst, gauge(1)}, {kFirst + 1, gauge(2)}}));
  for (const Case& c : {
           Case{bytes({}), "nothing"},
           Case{bytes({0}), "no entries"},
           Case{bytes({4, 2}), "an unknown flag"},
           Case{bytes({0, 2, 0x80, 2}), "the same slot again"},
           Case{bytes({0, 0x82, 0, 2}), "a slot before the chunk"},
           Case{bytes({0, 0x82, 0xe2, 0x21, 2}), "a slot after the chunk"},
           Case{bytes({0, 0x85, 2, 2, 2, 1}), "a remainder as large as the count"},
           Case{bytes({0, 0x85, 2, 2, 1}), "an entry cut short"},
       }) {
    const DecodedChunk decoded = decode(seal(0x11, c.payload));
    EXPECT_EQ(decoded.damaged_frames, 1U) << c.why;
    EXPECT_TRUE(decoded.buckets.empty()) << c.why;
  }
  EXPECT_EQ(decode(seal(0x11, bytes({0, 2, 2}))).buckets,
            (std::vector<SlotBucket>{{kFirst, gauge(1)}, {kFirst + 1, gauge(2)}}));
  for (const std::string& payload : {bytes({0, 0}), bytes({0xf0, 0x10, 1}), bytes({0xef, 0x10, 2}),
                                     bytes({0, 1, 0}), bytes({0}) + huge_varint, std::string()}) {
    EXPECT_EQ(decode(seal(0x20, payload)).damaged_frames, 1U) << hex(payload);
  }
}

}  // namespace
}  // namespace statmill
