// The gate over real sockets: known forms of request smuggling. Each is answered once, with an error, and the
// connection ends; the hidden request is never served.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/server/http/http_peer.h"

namespace statmill {
namespace {

using namespace std::literals;

struct Form {
  std::string bytes;
  int status;
  std::string_view why;
};

// The request that must never be served.
constexpr std::string_view kHidden =
    "POST /api/v1/lines HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\na 1\n";

std::string post(std::string_view fields, std::string_view body = "") {
  return "POST /api/v1/lines HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

std::vector<Form> forms() {
  return {
      {post("Transfer-Encoding: gzip\r\nContent-Length: 5\r\n", "aaaaa"), 400, "TE gzip before CL"},
      {post("Content-Length: 5\r\nTransfer-Encoding: gzip\r\n", "aaaaa"), 400, "TE gzip after CL"},
      {post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400, "CL.TE"},
      {post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), 400, "TE.CL"},
      {"POST /api/v1/lines HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
       "chunked on 1.0"},
      {post("Transfer-Encoding: xchunked\r\n"), 400, "xchunked without length"},
      {post("Transfer-Encoding: identity\r\n"), 400, "identity without length"},
      {post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"), 400, "chunked, identity"},
      {post("Transfer-Encoding: identity, chunked\r\n", "0\r\n\r\n"), 400, "identity, chunked"},
      {post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n"), 400, "two TE"},
      {post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"), 400, "space before the colon"},
      {post("Transfer-Encoding:\x0b"
            "chunked\r\n",
            "0\r\n\r\n"),
       400, "vertical tab before the value"},
      {post("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n"), 400, "quoted"},
      {post("Transfer-Encoding: chunked;q=1\r\n", "0\r\n\r\n"), 400, "with parameter"},
      {post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"), 400, "folded"},
      {post("X: a\rTransfer-Encoding: chunked\r\n"), 400, "hidden behind a bare CR"},
      {post("X: a\nTransfer-Encoding: chunked\r\n"), 400, "hidden behind a bare LF"},
      {post("Content-Length: 5, 5\r\n", "aaaaa"), 400, "CL list"},
      {post("Content-Length: 5\r\nContent-Length: 5\r\n", "aaaaa"), 400, "two equal CL"},
      {post("Content-Length: 5\r\nContent-Length: 0\r\n", "aaaaa"), 400, "two CL"},
      {post("Content-Length: +5\r\n", "aaaaa"), 400, "signed CL"},
      {post("Content-Length: 5\r\n\tX: a\r\n", "aaaaa"), 400, "obsolete folding"},
      {"GET /healthz HTTP/1.1\r\n\r\n", 400, "no Host"},
      {"GET /healthz HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n", 400, "two Hosts"},
      {"GET http://i/healthz HTTP/1.1\r\nHost: h\r\n\r\n", 400, "absolute form"},
      {"GET /healthz HTTP/1.1\nHost: h\n\n", 400, "bare LF throughout"},
      {"GET /healthz\r\n\r\n", 400, "HTTP/0.9"},
      {"GET /healthz HTTP/1.1\0\r\nHost: h\r\n\r\n"s, 505, "NUL in the version"},
      {"GET /%2e%2e/healthz HTTP/1.1\r\nHost: h\r\n\r\n", 400, "escaped dots"},
      {"GET //healthz HTTP/1.1\r\nHost: h\r\n\r\n", 400, "empty segment"},
      {"GET /healthz%00 HTTP/1.1\r\nHost: h\r\n\r\n", 400, "NUL"},
      {"GET /healthz%0 HTTP/1.1\r\nHost: h\r\n\r\n", 400, "broken escape"},
      {"TRACE / HTTP/1.1\r\nHost: h\r\n\r\n", 400, "TRACE"},
      {"\r\nGET /healthz HTTP/1.1\r\nHost: h\r\n\r\n", 400, "empty line before"},
      {"GET /" + std::string(16384, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n", 414, "long target"},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(24576, 'a') + "\r\n\r\n", 431, "long header"},
      // The chunked body itself.
      {post("Transfer-Encoding: chunked\r\n", "g\r\n"), 400, "chunk size is not hexadecimal"},
      {post("Transfer-Encoding: chunked\r\n", "0x3\r\nabc\r\n0\r\n\r\n"), 400, "0x before the size"},
      {post("Transfer-Encoding: chunked\r\n", "-1\r\n"), 400, "negative size"},
      {post("Transfer-Encoding: chunked\r\n", "+3\r\nabc\r\n0\r\n\r\n"), 400, "signed size"},
      {post("Transfer-Encoding: chunked\r\n", "10000000000000003\r\nabc\r\n0\r\n\r\n"), 400,
       "size wraps to 3"},
      {post("Transfer-Encoding: chunked\r\n", "3\r\nabcd\r\n0\r\n\r\n"), 400,
       "more bytes than the size says"},
      {post("Transfer-Encoding: chunked\r\n", "3\nabc\n0\n\n"), 400, "bare LF between chunks"},
      {post("Transfer-Encoding: chunked\r\n", "3;x\nabc\r\n0\r\n\r\n"), 400, "bare LF in a chunk extension"},
      {post("Transfer-Encoding: chunked\r\n", "0\r\nContent-Length: 5\r\n\r\n"), 400, "CL in the trailer"},
      {post("Transfer-Encoding: chunked\r\n", "0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400,
       "TE in the trailer"},
      {post("Transfer-Encoding: chunked\r\n", "0\r\nX: a\nY: b\r\n\r\n"), 400, "bare LF in the trailer"},
      {post("Transfer-Encoding: chunked\r\n", " 3\r\nabc\r\n0\r\n\r\n"), 400, "space before the size"},
  };
}

TEST(SmugglingTest, AmbiguousRequestsAreRefusedAndTheConnectionEnds) {
  FakeServices fake;
  RunningServer server(fake);
  for (const Form& form : forms()) {
    HttpPeer peer(server.endpoint());
    peer.send(form.bytes + std::string(kHidden));
    PeerReply reply = peer.receive();
    EXPECT_EQ(reply.status, form.status) << form.why;
    EXPECT_EQ(reply.fields["Connection"], "close") << form.why;
    EXPECT_TRUE(reply.body.starts_with("{\"error\":\"")) << form.why << ": " << reply.body;
    peer.finish_sending();
    EXPECT_TRUE(peer.sees_end()) << form.why;
  }
  EXPECT_TRUE(fake.batches().empty()) << "a hidden request was served";
}

TEST(SmugglingTest, TheSameRequestIsServedWhenNothingIsAmbiguous) {
  FakeServices fake;
  RunningServer server(fake);
  HttpPeer peer(server.endpoint());
  peer.send(post("Content-Length: 5\r\n", "\n\n\n\n\n") + std::string(kHidden));
  EXPECT_EQ(peer.receive().status, 200);
  EXPECT_EQ(peer.receive().status, 200);
  EXPECT_EQ(fake.batches().size(), 2u) << "the test above would notice it";
}

}  // namespace
}  // namespace statmill
