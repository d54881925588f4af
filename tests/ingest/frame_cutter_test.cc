// Streams of frames: any pieces give the same frames, and memory follows what has arrived.
#include "ingest/frame_cutter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace statmill {
namespace {

using namespace std::string_literals;
using State = FrameCutter::State;

constexpr StreamFormat kBig{.unit = StreamFormat::Unit::kBigEndianFrames, .frame_bytes_max = 1'000'000};
constexpr StreamFormat kLittle{.unit = StreamFormat::Unit::kLittleEndianFrames, .frame_bytes_max = 100};

std::string framed(const std::string& frame) {
  std::string out;
  for (int i = 3; i >= 0; --i) out.push_back(static_cast<char>(frame.size() >> (8 * i)));
  return out + frame;
}

// Returns the frames, or what ends them.
std::vector<std::string> cut(FrameCutter& cutter, std::string_view bytes) {
  std::vector<std::string> out;
  while (true) {
    const FrameCutter::Found found = cutter.next(bytes);
    if (found.state == State::kNeedsMore) return out;
    if (found.state == State::kWhole) out.emplace_back(found.bytes);
    if (found.state == State::kNoRoom) out.emplace_back("no room");
    if (found.state != State::kTooLong) continue;
    out.push_back("too long: " + std::string(found.bytes));
    return out;
  }
}

RC_GTEST_PROP(FrameCutter, TheSizesOfThePiecesDoNotMatter, (std::vector<std::string> frames)) {
  UnfinishedBytes budget(1 << 20);
  FrameCutter cutter(kBig, budget);
  std::string stream;
  for (const std::string& frame : frames) stream += framed(frame);
  std::vector<std::string> found;
  for (size_t at = 0; at < stream.size();) {
    const auto size = *rc::gen::inRange<size_t>(1, 9);
    for (std::string& frame : cut(cutter, std::string_view(stream).substr(at, size)))
      found.push_back(std::move(frame));
    at += size;
  }
  RC_ASSERT(found == frames);
  RC_ASSERT(!cutter.has_unfinished());
}

TEST(FrameCutter, ReadsLengthsOfBothOrders) {
  UnfinishedBytes budget(1 << 20);
  FrameCutter big(kBig, budget);
  EXPECT_EQ(cut(big, "\0\0\0\2ab\0\0\0\0\0\0\0\1c"s), (std::vector<std::string>{"ab", "", "c"}));
  FrameCutter little(kLittle, budget);
  EXPECT_EQ(cut(little, "\2\0\0\0ab\1\0\0\0c"s), (std::vector<std::string>{"ab", "c"}));
}

TEST(FrameCutter, SaysWhenTheStreamEndsInsideAFrame) {
  UnfinishedBytes budget(1 << 20);
  FrameCutter cutter(kBig, budget);
  EXPECT_TRUE(cut(cutter, "\0\0"s).empty());
  EXPECT_TRUE(cutter.has_unfinished());
  EXPECT_EQ(cut(cutter, "\0\1a\0\0\0\2b"s), std::vector<std::string>{"a"});
  EXPECT_TRUE(cutter.has_unfinished());
  EXPECT_EQ(cut(cutter, "c"s), std::vector<std::string>{"bc"});
  EXPECT_FALSE(cutter.has_unfinished());
}

TEST(FrameCutter, RefusesALengthOverTheLimitBeforeItsBytesArrive) {
  UnfinishedBytes budget(1 << 20);
  FrameCutter little(kLittle, budget);
  EXPECT_EQ(cut(little, "\x64\0\0\0"s + std::string(100, 'x')),
            std::vector<std::string>{std::string(100, 'x')});
  EXPECT_EQ(cut(little, "\x65\0\0\0abc"s), std::vector<std::string>{"too long: \x65\0\0\0abc"s});
  FrameCutter pieces(kLittle, budget);
  EXPECT_TRUE(cut(pieces, "disk"s.substr(0, 3)).empty());
  EXPECT_EQ(cut(pieces, "k.used 1"), std::vector<std::string>{"too long: disk.used 1"});
  FrameCutter highest(kBig, budget);
  EXPECT_EQ(cut(highest, "\xff\xff\xff\xff"s), std::vector<std::string>{"too long: \xff\xff\xff\xff"});
}

TEST(FrameCutter, SkipsAFrameThatTheBudgetHasNoRoomFor) {
  UnfinishedBytes budget(10'000);
  FrameCutter other(kBig, budget);
  EXPECT_TRUE(cut(other, framed(std::string(10'000, 'x')).substr(0, 9'000)).empty());
  EXPECT_GT(budget.used(), 6'000U);
  EXPECT_LE(budget.used(), 10'000U) << "of what has arrived";
  FrameCutter cutter(kBig, budget);
  const std::string stream = framed(std::string(8'000, 'y')) + framed("next");
  std::vector<std::string> found;
  for (size_t at = 0; at < stream.size(); at += 1'000) {
    for (std::string& frame : cut(cutter, std::string_view(stream).substr(at, 1'000)))
      found.push_back(std::move(frame));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"no room", "next"}));
  other.clear();
  EXPECT_EQ(budget.used(), 0U);
}

TEST(FrameCutter, ALengthThatLiesCostsNothing) {
  UnfinishedBytes budget(1 << 20);
  FrameCutter cutter(kBig, budget);
  EXPECT_TRUE(cut(cutter,
                  "\0\x0f\x42\x40"
                  "few"s)
                  .empty());
  EXPECT_EQ(budget.used(), 0U);
}

}  // namespace
}  // namespace statmill
