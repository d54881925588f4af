// The cuts of a stream do not matter, and endless lines are refused in bounded memory.
#include "ingest/line_buffer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstring>

#include "proto/istatd/parser.h"

namespace statmill {
namespace {

// Feeds `text` in pieces of the given sizes and returns the samples and refusals.
std::vector<std::string> feed(std::string_view text, const std::vector<size_t>& pieces,
                              LastLine last_line = LastLine::kRefuse,
                              size_t unfinished_max = size_t{1} << 20) {
  LineBuffer buffer;
  UnfinishedBytes budget(unfinished_max);
  LineStream stream(budget);
  std::vector<std::string> out;
  const auto dialect = istatd_dialect();
  const auto parser = dialect->make_parser();
  Batch& batch = parser->batch();
  const auto note = [&] {
    for (const Sample& s : batch.samples)
      out.push_back(std::string(s.name) + "=" + std::to_string(s.value.value()));
    for (size_t i = 0; i < kRefusalCount; ++i) {
      for (uint64_t n = 0; n < batch.refused[i]; ++n)
        out.emplace_back(refusal_label(static_cast<Refusal>(i)));
    }
    batch.clear();
  };
  size_t next = 0;
  while (!text.empty()) {
    const size_t n = std::min(
        {text.size(), pieces.empty() ? text.size() : pieces[next++ % pieces.size()], LineBuffer::kReadBytes});
    std::memcpy(buffer.space().data(), text.data(), n);
    text.remove_prefix(n);
    buffer.commit(n, stream, *parser);
    note();
  }
  LineBuffer::end(stream, *parser, last_line);
  note();
  std::sort(out.begin(), out.end());
  return out;
}

RC_GTEST_PROP(LineBuffer, ResultsDoNotDependOnTheCutsOfAStream, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::elementOf(std::string("\n\n ab^*#1.\r")), rc::gen::arbitrary<char>()));
  const auto pieces =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<size_t>>(rc::gen::inRange<size_t>(1, 9)));
  RC_ASSERT(feed(text, pieces) == feed(text, {}));
}

TEST(LineBuffer, EveryCutOfALineYieldsTheSameSamples) {
  const std::string text = "first 1\nweb.latency 12.5\r\nlast 3\n";
  for (size_t cut = 1; cut < text.size(); ++cut) {
    EXPECT_EQ(feed(text, {cut, text.size()}), feed(text, {})) << cut;
  }
}

TEST(LineBuffer, RefusesAnUnfinishedLastLine) {
  EXPECT_EQ(feed("a 1\nb 2", {}), (std::vector<std::string>{"a=1.000000", "unterminated"}));
}

TEST(LineBuffer, AcceptsAnUnfinishedLastLineIfTheDialectDoes) {
  EXPECT_EQ(feed("a 1\nb 2", {}, LastLine::kAccept), (std::vector<std::string>{"a=1.000000", "b=2.000000"}));
  EXPECT_EQ(feed("a 1\n", {}, LastLine::kAccept), (std::vector<std::string>{"a=1.000000"}));
  EXPECT_EQ(feed(std::string(kLineBytesMax + 1, 'x'), {}, LastLine::kAccept),
            (std::vector<std::string>{"line_too_long"}));
}

TEST(LineBuffer, LongUnfinishedLinesNeedTheBudget) {
  const std::string usual = std::string(UnfinishedLine::kFreeBytes / 2, 'x') + " 1\n";
  const std::string long_line = std::string(4 * UnfinishedLine::kFreeBytes, 'x') + " 1\n";
  EXPECT_EQ(feed(usual, {100}, LastLine::kRefuse, 0), feed(usual, {}));
  EXPECT_EQ(feed(long_line + usual, {100}, LastLine::kRefuse, 0).front(), "memory_limit");
  EXPECT_EQ(feed(long_line + usual, {100}, LastLine::kRefuse, 0).size(), 2U) << "the next line is read";
  EXPECT_EQ(feed(long_line, {100}, LastLine::kRefuse, 0), (std::vector<std::string>{"memory_limit"}));
}

TEST(UnfinishedLine, GivesItsBytesBack) {
  UnfinishedBytes budget(10'000);
  UnfinishedLine one(budget);
  ASSERT_TRUE(one.append(std::string(11'000, 'x')));
  EXPECT_EQ(budget.used(), 11'000 - UnfinishedLine::kFreeBytes);
  {
    UnfinishedLine other(budget);
    EXPECT_TRUE(other.append(std::string(UnfinishedLine::kFreeBytes, 'x')));
    EXPECT_FALSE(other.append(std::string(2000, 'x')));
    EXPECT_EQ(other.text(), "");
    one.clear();
    EXPECT_TRUE(other.append(std::string(11'000, 'x')));
  }
  EXPECT_EQ(budget.used(), 0U);
}

TEST(LineBuffer, RefusesAnEndlessLineOnceAndReadsTheNextOne) {
  const std::string endless = std::string(3 * kLineBytesMax, 'x') + " 1\nnext 2\n";
  EXPECT_EQ(feed(endless, {1000}), (std::vector<std::string>{"line_too_long", "next=2.000000"}));
  EXPECT_EQ(feed(endless, {LineBuffer::kReadBytes}),
            (std::vector<std::string>{"line_too_long", "next=2.000000"}));
}

TEST(LineBuffer, KeepsStreamsApart) {
  LineBuffer buffer;
  const auto dialect = istatd_dialect();
  const auto parser = dialect->make_parser();
  UnfinishedBytes budget(0);
  LineStream streams[] = {LineStream(budget), LineStream(budget)};
  std::vector<std::string> accepted;
  const auto read = [&](LineStream& stream, std::string_view text) {
    std::memcpy(buffer.space().data(), text.data(), text.size());
    buffer.commit(text.size(), stream, *parser);
    for (const Sample& s : parser->batch().samples) accepted.emplace_back(s.name);
    parser->batch().clear();
  };
  read(streams[0], "first.of");
  read(streams[1], "other.of.two 1\nother.o");
  read(streams[0], ".one 1\n");
  read(streams[1], "f.two 2\n");
  EXPECT_EQ(accepted, (std::vector<std::string>{"other.of.two", "first.of.one", "other.of.two"}));
  EXPECT_TRUE(streams[0].unfinished.text().empty() && streams[1].unfinished.text().empty());
}

// The sender of an endless line uses no more memory than that of a line, for any size of reads.
TEST(LineBuffer, KeepsNothingOfAnEndlessLine) {
  for (const size_t piece : {size_t{1000}, LineBuffer::kReadBytes}) {
    for (const std::string_view before : {"", "first 1\n"}) {
      LineBuffer buffer;
      UnfinishedBytes budget(size_t{1} << 20);
      LineStream stream(budget);
      const auto dialect = istatd_dialect();
      const auto parser = dialect->make_parser();
      for (size_t sent = 0; sent <= 2 * kLineBytesMax; sent += piece) {
        const auto space = buffer.space().first(piece);
        std::fill(space.begin(), space.end(), 'x');
        if (sent == 0) std::copy(before.begin(), before.end(), space.begin());
        buffer.commit(piece, stream, *parser);
        EXPECT_LE(stream.unfinished.text().size(), kLineBytesMax);
      }
      EXPECT_TRUE(stream.skipping);
      EXPECT_EQ(stream.unfinished.text(), "");
      EXPECT_EQ(budget.used(), 0U);
      EXPECT_EQ(parser->batch().refused[static_cast<size_t>(Refusal::kLineTooLong)], 1U);
    }
  }
}

TEST(LineBuffer, AcceptsALineOfExactlyTheLimitInAnyPieces) {
  std::string line = "a 1";
  line.resize(kLineBytesMax, ' ');
  for (const size_t piece : {size_t{7}, LineBuffer::kReadBytes}) {
    EXPECT_EQ(feed(line + "\n", {piece}), (std::vector<std::string>{"a=1.000000"})) << piece;
    EXPECT_EQ(feed(line + " \n", {piece}), (std::vector<std::string>{"line_too_long"})) << piece;
  }
}

}  // namespace
}  // namespace statmill
