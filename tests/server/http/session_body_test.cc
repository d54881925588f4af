// The memory and the time that request bodies may take of a server that others use, too.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/http/session_fixture.h"

namespace statmill {
namespace {

class SessionBodyTest : public SessionFixture {
 protected:
  // Sends the first part of a body of samples; `missing` bytes of it are left.
  static void send_part(HttpPeer& peer, std::string_view part, size_t missing) {
    peer.send("POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nContent-Length: " +
              std::to_string(part.size() + missing) + "\r\n\r\n" + std::string(part));
  }
};

TEST_F(SessionBodyTest, AnnouncedBodiesTakeNoMemory) {
  std::vector<HttpPeer> announcers;
  for (int i = 0; i < 32; ++i) {
    announcers.push_back(connect());
    announcers.back().send(
        "POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 8388608\r\n\r\n");
    ASSERT_EQ(announcers.back().receive().status, 100) << "the server waits for the body";
    announcers.back().send("x");
  }
  HttpPeer peer = connect();
  for (const std::string_view target : {"/healthz", "/readyz", "/metrics", "/api/v1/query?series=a"}) {
    peer.send_get(target);
    EXPECT_EQ(peer.receive().status, 200) << target;
  }
  peer.send(post_lines("a 1\n"));
  EXPECT_EQ(peer.receive().status, 200);
  EXPECT_EQ(fake_.reading("statmill.http_refused", "memory_limit"), 0);
}

TEST_F(SessionBodyTest, BytesThatHaveArrivedAreLimitedForAllBodiesTogether) {
  options_.buffered_bytes_max = 1000;
  HttpPeer first = connect();
  HttpPeer second = connect();
  send_part(first, std::string(600, '\n'), 300);
  send_part(second, std::string(600, '\n'), 300);
  ASSERT_TRUE(refusals_reach("memory_limit", 1));
  first.send(std::string(300, '\n'));
  second.send(std::string(300, '\n'));
  EXPECT_EQ(first.receive().status + second.receive().status, 200 + 503)
      << "a refused body leaves its memory to the others";
  EXPECT_EQ(fake_.reading("statmill.http_refused", "memory_limit"), 1);
}

TEST_F(SessionBodyTest, BytesOfChunksAreLimited) {
  options_.buffered_bytes_max = 1000;
  HttpPeer peer = connect();
  peer.send("POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1f4\r\n" +
            std::string(500, '\n') + "\r\n1f5\r\n" + std::string(501, '\n') + "\r\n1");
  EXPECT_EQ(peer.receive().status, 503);
  EXPECT_TRUE(fake_.batches().empty());
}

TEST_F(SessionBodyTest, SmallAnswersHaveMemoryThatBodiesCannotFill) {
  options_.buffered_bytes_max = 16 * kSmallAnswerBytesMax;
  HttpPeer filler = connect();
  constexpr size_t kBodyBytes = 15 * kSmallAnswerBytesMax;
  send_part(filler, std::string(kBodyBytes - 1, '\n'), 1);
  const auto deadline = std::chrono::steady_clock::now() + kSocketTimeout;
  while (server_->buffered_bytes() < kBodyBytes && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  ASSERT_EQ(server_->buffered_bytes(), kBodyBytes);
  HttpPeer other = connect();
  other.send(post_lines(std::string(64, '\n')));
  EXPECT_EQ(other.receive().status, 503);
  HttpPeer peer = connect();
  for (const std::string_view target : {"/healthz", "/readyz", "/metrics", "/api/v1/query?series=a"}) {
    peer.send_get(target);
    EXPECT_EQ(peer.receive().status, 200) << target;
  }
  fake_.status_text.assign(kSmallAnswerBytesMax + 1, ' ');
  peer.send_get("/api/v1/status");
  EXPECT_EQ(peer.receive().status, 503) << "a large answer has to wait for the bodies";
  filler.send("\n");
  EXPECT_EQ(filler.receive().status, 200);
}

TEST_F(SessionBodyTest, ABodyThatStallsIsClosedLongBeforeItsTimeIsOver) {
  options_.body_timeout = std::chrono::hours(1);
  options_.body_step = Duration(50);
  HttpPeer peer = connect();
  send_part(peer, std::string(100'000, '\n'), 1);
  EXPECT_TRUE(peer.sees_end());
  EXPECT_TRUE(refusals_reach("body_timeout", 1));
  EXPECT_TRUE(fake_.batches().empty());
}

TEST_F(SessionBodyTest, AWrongHeaderIsAnsweredBeforeItsBody) {
  struct Case {
    std::string_view line, fields;
    int status;
    bool may_be_empty = false;  // an empty body would be right
  };
  const std::vector<Case> cases = {
      {"POST /nowhere", "", 404},
      {"DELETE /api/v1/lines", "", 405},
      {"POST /healthz", "", 405},
      {"GET /healthz", "", 400, true},
      {"POST /api/v1/lines?x=1", "", 400},
      {"POST /api/v1/lines", "Origin: http://evil\r\n", 403},
      {"POST /api/v1/lines", "Content-Encoding: gzip\r\n", 415},
      {"POST /api/v1/query", "Content-Type: text/plain\r\n", 415, true},
      {"POST /api/v1/query?x=1", "Content-Type: application/x-www-form-urlencoded\r\n", 400},
      {"POST /api/v1/live", "Content-Type: text/plain\r\n", 415},
  };
  for (const Case& c : cases) {
    for (const std::string_view body : {"Content-Length: 60000\r\n", "Transfer-Encoding: chunked\r\n",
                                        "Content-Length: 4\r\nExpect: 100-continue\r\n"}) {
      if (c.may_be_empty && body.starts_with("Transfer-Encoding")) continue;
      HttpPeer peer = connect();
      peer.send(std::string(c.line) + " HTTP/1.1\r\nHost: h\r\n" + std::string(c.fields) + std::string(body) +
                "\r\n");
      PeerReply reply = peer.receive();
      EXPECT_EQ(reply.status, c.status) << c.line << " " << body;
      EXPECT_EQ(reply.fields["Connection"], "close") << c.line << " " << body;
      EXPECT_TRUE(peer.sees_end()) << c.line << " " << body;
    }
  }
  EXPECT_EQ(fake_.reading("statmill.http_refused", "body_timeout"), 0);
}

TEST_F(SessionBodyTest, NoChunksAreNoBody) {
  const std::string chunked = " HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  HttpPeer peer = connect();
  for (const std::string line : {"GET /healthz", "POST /api/v1/query?series=a"}) {
    peer.send(line + chunked + "0\r\n\r\n");
    EXPECT_EQ(peer.receive().status, 200) << line;
  }
  peer.send("GET /healthz" + chunked + "4\r\nbody\r\n0\r\n\r\n");
  EXPECT_EQ(peer.receive().status, 400);
}

}  // namespace
}  // namespace statmill
