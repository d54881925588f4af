// LinePieces: whole lines in pieces of bounded size, and at once if no more come.
#include "tools/statmill/line_pieces.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) { EXPECT_GE(number, 0); }
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

TEST(LinePieces, AreOfWholeLinesAndBounded) {
  TempDirectory directory;
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "a.series.of.a.test " + std::to_string(i) + "\n";
  text += "the last line 1";
  const Descriptor file(::open(directory.write("lines", text).c_str(), O_RDONLY));
  LinePieces pieces(file.number());
  std::string all;
  uint64_t lines = 0;
  while (true) {
    const auto piece = pieces.next();
    ASSERT_TRUE(piece);
    if (piece->text.empty()) break;
    EXPECT_LT(piece->text.size(), LinePieces::kPieceBytes + 65536);
    EXPECT_EQ(piece->first_line, lines + 1);
    lines += piece->lines;
    all += piece->text;
    EXPECT_EQ(piece->text.back() == '\n', all.size() != text.size());
  }
  EXPECT_EQ(lines, 60'001U);
  EXPECT_EQ(all, text);
}

TEST(LinePieces, ComeWhileTheInputIsOpen) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  const Descriptor out(ends[0]);
  Descriptor in(ends[1]);
  ASSERT_EQ(::write(in.number(), "a 1\nb", 5), 5);
  LinePieces pieces(out.number());
  EXPECT_EQ(pieces.next()->text, "a 1\n");
  ASSERT_EQ(::write(in.number(), " 2\n", 3), 3);
  EXPECT_EQ(pieces.next()->text, "b 2\n");
  ASSERT_EQ(::write(in.number(), "c 3", 3), 3);
  in.close();
  EXPECT_EQ(pieces.next()->text, "c 3");
  EXPECT_EQ(pieces.next_line(), 4U);
  EXPECT_EQ(pieces.next()->text, "");
}

TEST(LinePieces, RefuseALineWithoutEnd) {
  TempDirectory directory;
  const std::string text = "a 1\n" + std::string(LinePieces::kLineBytesMax + 1, 'x');
  const Descriptor file(::open(directory.write("lines", text).c_str(), O_RDONLY));
  LinePieces pieces(file.number());
  Result<LinePieces::Piece> piece = pieces.next();
  while (piece && !piece->text.empty()) piece = pieces.next();
  ASSERT_FALSE(piece);
  EXPECT_EQ(piece.error().message, "line 2 is longer than 1048576 bytes");
}

}  // namespace
}  // namespace statmill
