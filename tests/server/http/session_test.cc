// One connection over loopback: keep-alive, pipelining, limits and timeouts.
#include "server/http/session.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/server/http/session_fixture.h"

namespace statmill {
namespace {

constexpr Duration kShort{50};

class SessionTest : public SessionFixture {};

TEST_F(SessionTest, AnswersHaveSecurityHeaders) {
  HttpPeer peer = connect();
  peer.send_get("/healthz");
  PeerReply reply = peer.receive();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "ok\n");
  EXPECT_EQ(reply.fields["Content-Type"], "text/plain; charset=utf-8");
  EXPECT_EQ(reply.fields["Date"], "Fri, 20 Nov 2026 12:00:00 GMT");
  EXPECT_EQ(reply.fields["Cache-Control"], "no-store");
  EXPECT_EQ(reply.fields["X-Content-Type-Options"], "nosniff");
  EXPECT_EQ(reply.fields["Referrer-Policy"], "no-referrer");
  EXPECT_EQ(reply.fields["Cross-Origin-Resource-Policy"], "same-origin");
  EXPECT_EQ(reply.fields["Content-Security-Policy"],
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src "
            "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for "
            "'script'; trusted-types lit-html");
}

TEST_F(SessionTest, KeepsTheConnectionForTheNextRequest) {
  HttpPeer peer = connect();
  for (int i = 0; i < 5; ++i) {
    peer.send_get("/healthz");
    EXPECT_EQ(peer.receive().status, 200);
  }
  EXPECT_EQ(fake_.reading("statmill.http_connections"), 1);
}

TEST_F(SessionTest, AnswersPipelinedRequestsInOrder) {
  HttpPeer peer = connect();
  peer.send("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n" + post_lines("a 1\nb 2\n") +
            "GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n" +
            "POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            "3\r\nc 3\r\n4;x=y\r\n\nd 4\r\n0\r\n\r\n" +
            "GET /readyz HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(peer.receive().body, "ok\n");
  EXPECT_EQ(peer.receive().body, "{\"received\":2,\"accepted\":2,\"refused\":{}}\n");
  EXPECT_EQ(peer.receive().status, 404);
  EXPECT_EQ(peer.receive().body, "{\"received\":2,\"accepted\":2,\"refused\":{}}\n");
  EXPECT_EQ(peer.receive().body, "{\"ready\":true}\n");
  EXPECT_EQ(fake_.batches(), (std::vector<std::string>{"a,b", "c,d"}));
}

TEST_F(SessionTest, TrailersAreIgnored) {
  HttpPeer peer = connect();
  peer.send(
      "POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\na 1\r\n0\r\nOrigin: http://evil\r\nContent-Encoding: gzip\r\n\r\n");
  EXPECT_EQ(peer.receive().status, 200);
}

TEST_F(SessionTest, ReadsARequestByteByByte) {
  HttpPeer peer = connect();
  for (const char c : post_lines("a 1\n")) peer.send({&c, 1});
  EXPECT_EQ(peer.receive().status, 200);
  EXPECT_EQ(fake_.batches(), std::vector<std::string>{"a"});
}

TEST_F(SessionTest, ReadsALongBody) {
  std::string body;
  while (body.size() < kLinesBodyBytesMax - 8) body += "name 1\n";
  HttpPeer peer = connect();
  peer.send(post_lines(body));
  EXPECT_EQ(peer.receive().status, 200);
  size_t bytes = 0;
  for (const std::string& names : fake_.batches()) bytes += names.size() + 1;
  EXPECT_EQ(bytes, body.size() / 7 * 5) << "each name and its comma";
}

TEST_F(SessionTest, HeadHasALengthButNoBody) {
  HttpPeer peer = connect();
  peer.send("HEAD /healthz HTTP/1.1\r\nHost: h\r\n\r\nHEAD /nowhere HTTP/1.1\r\nHost: h\r\n\r\n");
  PeerReply reply = peer.receive_head();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.fields["Content-Length"], "3");
  EXPECT_EQ(peer.receive_head().status, 404);
  peer.send_get("/healthz");
  EXPECT_EQ(peer.receive().body, "ok\n") << "HEAD was answered without a body";
}

TEST_F(SessionTest, AWrongMethodListsTheAllowedOnes) {
  HttpPeer peer = connect();
  peer.send_get("/api/v1/lines");
  EXPECT_EQ(peer.receive().fields["Allow"], "POST");
}

TEST_F(SessionTest, ClosesOnRequest) {
  HttpPeer peer = connect();
  peer.send("GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(peer.receive().fields["Connection"], "close");
  EXPECT_TRUE(peer.sees_end());
}

TEST_F(SessionTest, Http10ClosesUnlessItAsksForKeepAlive) {
  HttpPeer keeps = connect();
  keeps.send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(keeps.receive().fields["Connection"], "keep-alive");
  keeps.send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_EQ(keeps.receive().status, 200);
  EXPECT_TRUE(keeps.sees_end());
}

TEST_F(SessionTest, APeerThatHasFinishedSendingGetsItsAnswer) {
  HttpPeer peer = connect();
  peer.send_get("/healthz");
  peer.finish_sending();
  EXPECT_EQ(peer.receive().status, 200);
  EXPECT_TRUE(peer.sees_end());
}

TEST_F(SessionTest, RequestsOfAConnectionAreLimited) {
  options_.requests_max = 2;
  HttpPeer peer = connect();
  peer.send_get("/healthz");
  EXPECT_FALSE(peer.receive().fields.contains("Connection"));
  peer.send_get("/healthz");
  EXPECT_EQ(peer.receive().fields["Connection"], "close");
  EXPECT_TRUE(peer.sees_end());
}

TEST_F(SessionTest, SlowHeaderIsClosed) {
  options_.header_timeout = kShort;
  HttpPeer silent = connect();
  HttpPeer slow = connect();
  slow.send("GET / HTTP/1.1\r\nHo");
  EXPECT_TRUE(silent.sees_end());
  EXPECT_TRUE(slow.sees_end());
  EXPECT_TRUE(refusals_reach("header_timeout", 2));
}

TEST_F(SessionTest, SlowHeaderOfALaterRequestIsClosed) {
  options_.header_timeout = kShort;
  HttpPeer peer = connect();
  peer.send("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\nG");
  EXPECT_EQ(peer.receive().status, 200);
  EXPECT_TRUE(peer.sees_end());
  EXPECT_TRUE(refusals_reach("header_timeout", 1));
}

TEST_F(SessionTest, AnIdleConnectionIsClosedAndNotCountedAsRefused) {
  options_.idle_timeout = kShort;
  HttpPeer peer = connect();
  peer.send_get("/healthz");
  EXPECT_EQ(peer.receive().status, 200);
  EXPECT_TRUE(peer.sees_end());
  EXPECT_EQ(fake_.reading("statmill.http_refused", "header_timeout"), 0);
}

TEST_F(SessionTest, SlowBodyIsClosed) {
  options_.body_timeout = kShort;
  HttpPeer peer = connect();
  peer.send("POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\na 1");
  EXPECT_TRUE(peer.sees_end());
  EXPECT_TRUE(refusals_reach("body_timeout", 1));
  EXPECT_TRUE(fake_.batches().empty()) << "an incomplete body is not applied";
}

TEST_F(SessionTest, AnIncompleteBodyIsNotApplied) {
  HttpPeer peer = connect();
  peer.send("POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\na 1\n");
  peer.finish_sending();
  EXPECT_TRUE(peer.sees_end());
  EXPECT_TRUE(fake_.batches().empty());
}

TEST_F(SessionTest, APeerThatDoesNotReadIsClosed) {
  options_.write_timeout = kShort;
  fake_.status_text.resize(kLongBodyBytes);
  HttpPeer peer = connect();
  peer.send_get("/api/v1/status");
  EXPECT_TRUE(refusals_reach("write_timeout", 1));
  EXPECT_EQ(peer.receive().status, 0) << "the answer ends early";
}

TEST_F(SessionTest, BodyOverTheLimitIsRefusedBeforeItIsSent) {
  HttpPeer peer = connect();
  peer.send("POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nContent-Length: 8388609\r\n\r\n");
  const PeerReply reply = peer.receive();
  EXPECT_EQ(reply.status, 413);
  EXPECT_EQ(reply.body, "{\"error\":\"the body is over the limit of this path\",\"status\":413}\n");
  EXPECT_TRUE(peer.sees_end());
}

TEST_F(SessionTest, ChunkedBodyOverTheLimitIsRefused) {
  const std::string chunk = "100000\r\n" + std::string(0x100000, 'a') + "\r\n";
  HttpPeer peer = connect();
  peer.send("POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 9; ++i) peer.send(chunk);
  EXPECT_EQ(peer.receive().status, 413) << "the peer gets the answer although it kept sending";
  EXPECT_TRUE(fake_.batches().empty());
}

TEST_F(SessionTest, APeerThatKeepsSendingAfterARefusalIsNotReset) {
  options_.linger_timeout = std::chrono::minutes(1);
  HttpPeer peer = connect();
  peer.send("POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nContent-Length: 33554432\r\n\r\n");
  EXPECT_EQ(peer.receive().status, 413);
  EXPECT_TRUE(peer.send(std::string(kLongBodyBytes, 'a'))) << "a reset could destroy the unread answer";
}

TEST_F(SessionTest, UnexpectedBodiesHaveASmallLimit) {
  HttpPeer peer = connect();
  peer.send("POST /nowhere HTTP/1.1\r\nHost: h\r\nContent-Length: 4096\r\n\r\n" + std::string(4096, 'a'));
  EXPECT_EQ(peer.receive().status, 404);
  peer.send_get("/healthz");
  EXPECT_EQ(peer.receive().status, 200) << "an unexpected body is read and not parsed as a request";
  peer.send("GET /healthz HTTP/1.1\r\nHost: h\r\nContent-Length: 4097\r\n\r\n");
  EXPECT_EQ(peer.receive().status, 400);
  EXPECT_TRUE(peer.sees_end());
}

TEST_F(SessionTest, SendsContinueWhenThePeerWaitsForIt) {
  HttpPeer peer = connect();
  peer.send("POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(peer.receive().status, 100);
  peer.send("a 1\n");
  EXPECT_EQ(peer.receive().status, 200);
}

TEST_F(SessionTest, SendsNoContinueForABodyThatItRefuses) {
  HttpPeer peer = connect();
  peer.send(
      "POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9000000\r\n\r\n");
  EXPECT_EQ(peer.receive().status, 413);
  HttpPeer other = connect();
  other.send("POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nExpect: wonders\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(other.receive().status, 417);
}

TEST_F(SessionTest, AnExceptionOfAHandlerEndsOnlyTheRequest) {
  fake_.on_query = [](const QueryRequest&) -> Result<QueryAnswer> { throw std::runtime_error("secret"); };
  HttpPeer peer = connect();
  peer.send_get("/api/v1/query?series=a");
  const PeerReply reply = peer.receive();
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.body, "{\"error\":\"the handler failed\",\"status\":500}\n");
  EXPECT_EQ(fake_.reading("statmill.http_handler_failures"), 1);
  peer.send_get("/healthz");
  EXPECT_EQ(peer.receive().status, 200);
}

TEST_F(SessionTest, BodiesInMemoryAreLimited) {
  options_.buffered_bytes_max = 1000;
  HttpPeer first = connect();
  first.send(post_lines(std::string(1001, '\n')));
  EXPECT_EQ(first.receive().status, 503);
  EXPECT_EQ(fake_.reading("statmill.http_refused", "memory_limit"), 1);
  for (int i = 0; i < 2; ++i) {
    HttpPeer other = connect();
    other.send(post_lines(std::string(800, '\n')));  // the answer before may still be held
    EXPECT_EQ(other.receive().status, 200) << "the memory was released";
  }
}

TEST_F(SessionTest, AnswersOverTheMemoryLimitAreRefused) {
  options_.buffered_bytes_max = 1000;
  fake_.status_text.resize(kLongBodyBytes);
  HttpPeer peer = connect();
  peer.send_get("/api/v1/status");
  EXPECT_EQ(peer.receive().status, 503);
}

TEST_F(SessionTest, ManyConcurrentPeersAllGetTheirAnswers) {
  connect();
  std::vector<std::thread> threads;
  std::atomic<int> answered = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      HttpPeer peer = connect();
      for (int i = 0; i < 100; ++i) {
        peer.send(i % 2 == 0 ? "GET /api/v1/query?series=a HTTP/1.1\r\nHost: h\r\n\r\n"
                             : post_lines("a 1\n"));
        if (peer.receive().status == 200) ++answered;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, 400);
  EXPECT_EQ(fake_.reading("statmill.http_requests", "200"), 400);
}

}  // namespace
}  // namespace statmill
