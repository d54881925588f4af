// Which foreign pages may read answers, and what the answer says about it.
#include "server/http/cors_origins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/http/http_peer.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kDash = "https://dash.example.org";

TEST(CorsOrigins, AddRefusesWhatABrowserDoesNotWrite) {
  CorsOrigins origins;
  for (const std::string_view origin :
       {"https://a.example", "http://a:3000", "http://[::1]:8080", "http://127.0.0.1"})
    EXPECT_TRUE(origins.add(origin)) << origin;
  for (const std::string_view origin : {"",
                                        "*",
                                        "null",
                                        "a.example",
                                        "https://",
                                        "https://*",
                                        "https://*.example",
                                        "https://a.example/",
                                        "https://A.example",
                                        "https://a.example:443",
                                        "http://a.example:80",
                                        "http://a:",
                                        "http://a:0",
                                        "http://a:x",
                                        "http://a:123456",
                                        "ftp://a",
                                        "http://a b",
                                        "http://a\r\nX: y",
                                        "http://u@a",
                                        "http://[::1",
                                        "http://[]"})
    EXPECT_FALSE(origins.add(origin)) << origin;
  EXPECT_FALSE(origins.add("https://" + std::string(300, 'a')));
  for (size_t i = 4; i < CorsOrigins::kCountMax; ++i)
    EXPECT_TRUE(origins.add("http://h" + std::to_string(i)));
  EXPECT_FALSE(origins.add("http://one.more")) << "there are 100";
}

std::string head_of(const PeerReply& reply) {
  std::string out;
  for (const auto& [name, value] : reply.fields) out.append(name).append(": ").append(value).append("\r\n");
  return out;
}

HttpOptions options_with_origin() {
  HttpOptions options;
  EXPECT_TRUE(options.cors_origins.add(kDash));
  return options;
}

class CorsTest : public testing::Test {
 protected:
  PeerReply ask(const RunningServer& server, const std::string& line, const std::string& origin,
                const std::string& rest = "\r\n") {
    HttpPeer peer(server.endpoint());
    peer.send(line + " HTTP/1.1\r\nHost: localhost\r\n" +
              (origin.empty() ? "" : "Origin: " + origin + "\r\n") + rest);
    return peer.receive();
  }

  FakeServices fake_;
  RunningServer server_{fake_, options_with_origin()};
};

TEST_F(CorsTest, AListedPageMayReadAnswersAndErrors) {
  for (const char* target :
       {"GET /api/v1/series", "GET /nowhere", "GET /healthz", "GET /api/v1/query?series=cpu"}) {
    const PeerReply reply = ask(server_, target, std::string(kDash));
    EXPECT_THAT(head_of(reply), AllOf(HasSubstr("Access-Control-Allow-Origin: https://dash.example.org\r\n"),
                                      HasSubstr("Vary: Origin\r\n"), Not(HasSubstr("Allow-Credentials"))))
        << target;
  }
}

TEST_F(CorsTest, OtherPagesLearnNothing) {
  for (const char* origin :
       {"", "*", "null", "https://dash.example.org.evil.example", "https://dash.example.org:444",
        "http://dash.example.org", "https://DASH.example.org", "https://evil.example",
        "https://dash.example.org, https://evil.example", "https://dash.example.org/"}) {
    const PeerReply reply = ask(server_, "GET /api/v1/series", origin);
    EXPECT_EQ(reply.status, 200);
    EXPECT_THAT(head_of(reply), AllOf(Not(HasSubstr("Access-Control")), HasSubstr("Vary: Origin\r\n")))
        << origin;
    EXPECT_THAT(head_of(ask(server_, "OPTIONS /api/v1/series", origin)), Not(HasSubstr("Access-Control")))
        << origin;
  }
}

TEST_F(CorsTest, APreflightIsAnsweredWithoutABody) {
  const PeerReply reply = ask(server_, "OPTIONS /api/v1/query", std::string(kDash),
                              "Access-Control-Request-Method: POST\r\n"
                              "Access-Control-Request-Headers: authorization,x-evil\r\n\r\n");
  EXPECT_EQ(reply.status, 204);
  EXPECT_EQ(reply.body, "");
  EXPECT_THAT(head_of(reply),
              AllOf(HasSubstr("Access-Control-Allow-Origin: https://dash.example.org\r\n"),
                    HasSubstr("Access-Control-Allow-Methods: GET, HEAD, POST\r\n"),
                    HasSubstr("Access-Control-Allow-Headers: Authorization, Content-Type\r\n"),
                    HasSubstr("Access-Control-Max-Age: 600\r\n"),
                    HasSubstr("Allow: GET, HEAD, POST, OPTIONS\r\n"), Not(HasSubstr("x-evil"))));
  EXPECT_EQ(ask(server_, "OPTIONS /nowhere", std::string(kDash)).status, 404);
}

TEST_F(CorsTest, AListedPageMayNotSendSamples) {
  const PeerReply reply =
      ask(server_, "POST /api/v1/lines", std::string(kDash), "Content-Length: 4\r\n\r\na 1\n");
  EXPECT_EQ(reply.status, 403);
  EXPECT_TRUE(fake_.batches().empty());
}

TEST_F(CorsTest, ByDefaultNoPageMayRead) {
  RunningServer plain(fake_);
  const PeerReply reply = ask(plain, "GET /api/v1/series", std::string(kDash));
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(head_of(reply), Not(HasSubstr("Access-Control")));
  EXPECT_THAT(head_of(ask(plain, "OPTIONS /api/v1/series", std::string(kDash))),
              AllOf(HasSubstr("Allow: GET, HEAD, POST, OPTIONS\r\n"), Not(HasSubstr("Access-Control"))));
}

}  // namespace
}  // namespace statmill
