// A block holds any text up to its limit, reads back as it was, and is refused if a bit of it is wrong.
#include "proto/recording/block.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include <random>

namespace statmill {
namespace {

constexpr std::string_view kText =
    "# recording 1 host=web1 interval_ms=1000\n# at 1796006115.300\na 1796006115 1\n";

std::string random_bytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::string bytes;
  while (bytes.size() < size) bytes.push_back(static_cast<char>(random()));
  return bytes;
}

// A block with that text and size, whose deflated part has other text.
std::string forged(size_t said_bytes, size_t real_bytes) {
  std::string deflated(real_bytes + 64, '\0');
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  const std::string text(real_bytes, 'x');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(deflated.data());
  stream.avail_out = static_cast<uInt>(deflated.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  deflated.resize(deflated.size() - stream.avail_out);
  ::deflateEnd(&stream);
  std::string block = BlockWriter().block("x", 0).substr(0, kBlockHeadBytes) + deflated;
  block.append(4, '\0');
  for (int i = 0; i < 4; ++i) block.push_back(static_cast<char>(said_bytes >> (8 * i)));
  block[16] = static_cast<char>(block.size() - 1);
  block[17] = static_cast<char>((block.size() - 1) >> 8);
  return block;
}

RC_GTEST_PROP(Block, ReadsBackWhatWasWritten, (const std::string& text, uint32_t time_s)) {
  RC_PRE(!text.empty());
  BlockWriter writer;
  writer.block("another block first", 1);
  const std::string block = writer.block(text, time_s);
  const auto head = read_block_head(block);
  RC_ASSERT(head.has_value());
  RC_ASSERT(head->bytes == block.size());
  RC_ASSERT(head->time_s == int64_t{time_s});
  RC_ASSERT(inflate_block(block).value() == text);
}

TEST(Block, HoldsTextThatDoesNotShrink) {
  const std::string text = random_bytes(kBlockTextBytesMax, 1);
  BlockWriter writer;
  const std::string block = writer.block(text, 0);
  EXPECT_LE(block.size(), kBlockBytesMax);
  EXPECT_EQ(inflate_block(block).value(), text);
  EXPECT_LT(writer.block(std::string(kBlockTextBytesMax, 'a'), 0).size(), 1000U) << "it compresses again";
}

TEST(Block, TimesThatGzipCannotSayAreTheNearest) {
  EXPECT_EQ(read_block_head(BlockWriter().block("a", -5))->time_s, 0);
  EXPECT_EQ(read_block_head(BlockWriter().block("a", int64_t{1} << 40))->time_s, 0xffffffff);
}

// As the SAM specification has it (section 4.1.2).
TEST(Block, TheEndIsThatOfBgzf) {
  EXPECT_EQ(end_block(),
            std::string_view("\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0", 28));
  EXPECT_EQ(inflate_block(end_block()).value(), "");
}

TEST(Block, RefusesEachFlippedBitThatMeansSomething) {
  const std::string block = BlockWriter().block(kText, 1'796'006'115);
  for (size_t bit = 0; bit < 8 * block.size(); ++bit) {
    std::string damaged = block;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    // Time, extra flags and system mean nothing to gzip, nor does what is left of the last deflated byte.
    const bool is_free = (bit / 8 >= 4 && bit / 8 < 10) || bit / 8 + 9 == block.size();
    const auto text = inflate_block(damaged);
    if (is_free && text) {
      EXPECT_EQ(*text, kText) << bit;
    } else {
      ASSERT_FALSE(text) << bit;
      EXPECT_EQ(text.error().code, ErrorCode::kCorrupt);
    }
  }
}

TEST(Block, RefusesEachTruncation) {
  const std::string block = BlockWriter().block(kText, 0);
  for (size_t size = 0; size < block.size(); ++size)
    EXPECT_FALSE(inflate_block(block.substr(0, size))) << size;
  EXPECT_FALSE(inflate_block(block + "x"));
}

TEST(Block, RefusesABombWithoutInflatingIt) {
  EXPECT_FALSE(inflate_block(forged(50'000'000, 50'000'000))) << "says how large it is";
  EXPECT_FALSE(inflate_block(forged(10, 50'000'000))) << "says that it is small";
  EXPECT_FALSE(inflate_block(forged(65537, 65537)));
}

}  // namespace
}  // namespace statmill
