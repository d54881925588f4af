// A recording reads back block by block, whatever pieces it comes in; a missing end is noticed, and damage is
// an error.
#include "proto/recording/recording_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/number_text.h"
#include "proto/recording/block.h"

namespace statmill {
namespace {

using testing::ElementsAre;

// A recording of version 1 with one block, in hexadecimal digits. Its text is not compressed, since each
// version of zlib may compress in another way.
constexpr std::string_view kGolden =
    "1f8b0804e3e00c6b00ff06004243020082000164009bff23207265636f7264696e67203120686f73743d776562312069"
    "6e74657276616c5f6d733d3130303020666173745f6d733d3130300a2320617420313739363030363131352e3330300a"
    "613b686f73743d77656231203137393630303631313520312e350a6470cb7864000000";

std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2)
    bytes.push_back(static_cast<char>(*parse_as<uint8_t>(digits.substr(i, 2), 16)));
  return bytes;
}

std::string block_of(std::string_view lines, int64_t time_s = 0) {
  return BlockWriter().block("# recording 1 host=web1 interval_ms=1000\n" + std::string(lines), time_s);
}

struct Outcome {
  std::vector<std::string> blocks;  // their lines
  bool is_complete = false;
  std::optional<Error> error;
  uint64_t bytes = 0;
};

Outcome read(std::string_view file, size_t piece = 1 << 20) {
  RecordingReader reader([&](std::span<char> room) -> Result<size_t> {
    const size_t size = std::min({room.size(), piece, file.size()});
    std::copy_n(file.begin(), size, room.begin());
    file.remove_prefix(size);
    return size;
  });
  Outcome out;
  while (true) {
    const auto block = reader.next();
    if (!block) {
      out.error = block.error();
      return out;
    }
    if (!block->has_value()) break;
    EXPECT_EQ((*block)->head.host, "web1");
    out.blocks.emplace_back((*block)->lines);
  }
  out.is_complete = reader.is_complete();
  out.bytes = reader.bytes();
  return out;
}

TEST(RecordingReader, ReadsTheGoldenRecording) {
  const std::string golden = bytes_of_hex(kGolden);
  EXPECT_EQ(read_block_head(golden)->time_s, 1'796'006'115);
  const Outcome out = read(golden + std::string(end_block()));
  EXPECT_THAT(out.blocks, ElementsAre("# at 1796006115.300\na;host=web1 1796006115 1.5\n"));
  EXPECT_TRUE(out.is_complete);
}

TEST(RecordingReader, ReadsBlocksInPiecesOfAnySize) {
  const std::string file = block_of("a 1 1\n") + block_of("a 2 1\n") + std::string(end_block());
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{1} << 20}) {
    const Outcome out = read(file, piece);
    EXPECT_THAT(out.blocks, ElementsAre("a 1 1\n", "a 2 1\n"));
    EXPECT_TRUE(out.is_complete);
    EXPECT_EQ(out.bytes, file.size());
  }
}

TEST(RecordingReader, RecordingsMayFollowEachOther) {
  const std::string one = block_of("a 1 1\n") + std::string(end_block());
  const Outcome out = read(one + one);
  EXPECT_THAT(out.blocks, ElementsAre("a 1 1\n", "a 1 1\n"));
  EXPECT_TRUE(out.is_complete);
}

TEST(RecordingReader, NoticesEachMissingEnd) {
  const std::string first = block_of("a 1 1\n");
  const std::string file = first + block_of("a 2 1\n") + std::string(end_block());
  for (size_t size = 0; size < file.size(); ++size) {
    const Outcome out = read(file.substr(0, size));
    EXPECT_FALSE(out.is_complete) << size;
    EXPECT_EQ(out.error.has_value(), size > 0 && size < kBlockHeadBytes)
        << size << ": that is no recording yet";
    if (size >= first.size()) {
      EXPECT_EQ(out.blocks.front(), "a 1 1\n") << size;
    }
  }
}

TEST(RecordingReader, RefusesWhatIsNoRecording) {
  for (const std::string& file :
       {std::string("hello"), std::string(100, 'x'), BlockWriter().block("a 1 1\n", 0)}) {
    const Outcome out = read(file);
    ASSERT_TRUE(out.error);
    EXPECT_EQ(out.error->code, ErrorCode::kCorrupt);
  }
  const Outcome later = read(BlockWriter().block("# recording 2 host=web1\n", 0));
  ASSERT_TRUE(later.error);
  EXPECT_EQ(later.error->code, ErrorCode::kVersion);
}

TEST(RecordingReader, DamageEndsItWithAnError) {
  const std::string first = block_of("a 1 1\n");
  std::string file = first + block_of("a 2 1\n") + std::string(end_block());
  file[first.size() + 25] = static_cast<char>(file[first.size() + 25] ^ 1);
  const Outcome out = read(file);
  EXPECT_THAT(out.blocks, ElementsAre("a 1 1\n"));
  EXPECT_TRUE(out.error);
}

TEST(RecordingReader, PassesErrorsOfTheInputOn) {
  RecordingReader reader([](std::span<char>) -> Result<size_t> { return Error{ErrorCode::kIo, "disk"}; });
  const auto block = reader.next();
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().message, "disk");
}

}  // namespace
}  // namespace statmill
