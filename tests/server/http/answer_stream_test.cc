#include "server/http/answer_stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/support/manual_clock.h"

namespace statmill {
namespace {

class AnswerStreamTest : public testing::Test {
 protected:
  AnswerStream::Options options(ContentCoding coding = ContentCoding::kNone) {
    return {.control = control_,
            .clock = clock_,
            .coding = coding,
            .wake = [this] { ++wakes_; },
            .on_waiting = [this](bool begins) { waits_ += begins ? 1 : 0; }};
  }

  ManualClock clock_;
  QueryControl control_{{}, nullptr, &clock_};
  std::atomic<int> wakes_ = 0;
  std::atomic<int> waits_ = 0;
};

TEST_F(AnswerStreamTest, AShortAnswerComesWhole) {
  AnswerStream stream(options());
  stream.set_content_type("text/csv");
  EXPECT_TRUE(stream.write("a,b\n"));
  EXPECT_TRUE(stream.write("1,2\n"));
  EXPECT_FALSE(stream.take()) << "the first block is held back";
  stream.finish({});
  const auto piece = stream.take();
  ASSERT_TRUE(piece && piece->head);
  EXPECT_EQ(piece->end, AnswerStream::End::kWhole);
  EXPECT_EQ(piece->head->body, "a,b\n1,2\n");
  EXPECT_EQ(piece->head->content_type, "text/csv");
  EXPECT_EQ(wakes_, 1);
}

TEST_F(AnswerStreamTest, AFailureInTheFirstBlockHasItsOwnStatus) {
  AnswerStream stream(options());
  EXPECT_TRUE(stream.write(std::string(kStreamBlockBytes - 1, 'x')));
  stream.finish(error_response(422, "too much"));
  const auto piece = stream.take();
  ASSERT_TRUE(piece && piece->head);
  EXPECT_EQ(piece->head->status, 422U);
  EXPECT_EQ(piece->head->body, "{\"error\":\"too much\",\"status\":422}\n");
}

TEST_F(AnswerStreamTest, ALongAnswerComesInBlocks) {
  AnswerStream stream(options());
  EXPECT_TRUE(stream.write(std::string(kStreamBlockBytes, 'x')));
  EXPECT_TRUE(stream.write("yz"));
  stream.finish({});
  const auto head = stream.take();
  ASSERT_TRUE(head && head->head);
  EXPECT_EQ(head->end, AnswerStream::End::kMore);
  EXPECT_EQ(stream.take()->block, std::string(kStreamBlockBytes, 'x'));
  const auto last = stream.take();
  EXPECT_EQ(last->block, "yz");
  EXPECT_EQ(last->end, AnswerStream::End::kWhole);
  EXPECT_FALSE(stream.take());
}

TEST_F(AnswerStreamTest, AFailureAfterTheFirstBlockCutsTheAnswer) {
  AnswerStream stream(options());
  EXPECT_TRUE(stream.write(std::string(kStreamBlockBytes + 1, 'x')));
  EXPECT_TRUE(stream.has_begun());
  stream.finish(error_response(500, "the store failed"));
  EXPECT_EQ(stream.take()->end, AnswerStream::End::kMore);
  EXPECT_EQ(stream.take()->end, AnswerStream::End::kMore);
  const auto last = stream.take();
  EXPECT_EQ(last->end, AnswerStream::End::kCut);
  EXPECT_TRUE(last->block.empty());
}

TEST_F(AnswerStreamTest, TheQueryWaitsForASlowClientAndNoLonger) {
  AnswerStream stream(options());
  std::atomic<size_t> written = 0;
  std::thread query([&] {
    const std::string block(kStreamBlockBytes, 'x');
    for (int i = 0; i < 20; ++i) {
      if (!stream.write(block)) break;
      ++written;
    }
    stream.finish({});
  });
  while (waits_ == 0) std::this_thread::yield();
  EXPECT_LE(written, kStreamBlocksMax);
  size_t bytes = 0;
  for (bool is_whole = false; !is_whole;) {
    const auto piece = stream.take();
    if (!piece) continue;
    bytes += piece->block.size();
    is_whole = piece->end == AnswerStream::End::kWhole;
  }
  query.join();
  EXPECT_EQ(bytes, 20 * kStreamBlockBytes);
}

TEST_F(AnswerStreamTest, AnAbandonedQueryStopsWaiting) {
  AnswerStream stream(options());
  Status last;
  std::thread query([&] {
    const std::string block(kStreamBlockBytes, 'x');
    while (last) last = stream.write(block);
    stream.finish(error_response(503, "canceled"));
  });
  while (waits_ == 0) std::this_thread::yield();
  stream.abandon();
  query.join();
  EXPECT_FALSE(last);
  EXPECT_EQ(control_.stopped_by(), QueryStop::kClient);
  EXPECT_FALSE(stream.take());
}

TEST_F(AnswerStreamTest, AnAdministratorEndsAQueryThatWaitsForItsClient) {
  AnswerStream stream(options());
  Status last;
  std::thread query([&] {
    const std::string block(kStreamBlockBytes, 'x');
    while (last) last = stream.write(block);
  });
  while (waits_ == 0) std::this_thread::yield();
  control_.stop(QueryStop::kAdmin);
  query.join();
  EXPECT_EQ(last.error().message, "canceled by an administrator");
}

TEST_F(AnswerStreamTest, ARestartForgetsTheFirstBlock) {
  AnswerStream stream(options());
  EXPECT_TRUE(stream.write("old"));
  stream.restart();
  EXPECT_TRUE(stream.write("new"));
  stream.finish({});
  EXPECT_EQ(stream.take()->head->body, "new");
}

TEST_F(AnswerStreamTest, CompressesOnlyWhatIsLongEnough) {
  for (const auto& [size, want] : {std::pair<size_t, std::string_view>{kCompressedBytesMin - 1, ""},
                                   {kCompressedBytesMin, "zstd"},
                                   {3 * kStreamBlockBytes, "zstd"}}) {
    AnswerStream stream(options(ContentCoding::kZstd));
    std::thread query([&stream, n = size] {
      EXPECT_TRUE(stream.write(std::string(n, 'x')));
      stream.finish({});
    });
    std::optional<AnswerStream::Piece> first;
    while (!first) first = stream.take();
    ASSERT_TRUE(first->head);
    EXPECT_EQ(first->head->content_encoding, want) << size;
    for (auto end = first->end; end == AnswerStream::End::kMore;) {
      const auto piece = stream.take();
      if (piece) end = piece->end;
    }
    query.join();
  }
}

}  // namespace
}  // namespace statmill
