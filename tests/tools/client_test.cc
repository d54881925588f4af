// The HTTP client against servers that are slow, silent, or do not speak HTTP.
#include "tools/statmill/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sockets.h"
#include "tests/tools/fake_server.h"

namespace statmill {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

Client client_of(const std::string& url, Duration timeout = 30s) {
  Result<Client> client = Client::to(url, timeout);
  EXPECT_TRUE(client.has_value());
  return *client;
}

TEST(Client, PrependsThePrefixOfTheUrlToEveryPath) {
  const FakeServer server(200, "body");
  const Result<HttpAnswer> answer = client_of(server.url() + "/statmill/").get("/x", {{"k", "a=b&c"}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 200U);
  EXPECT_EQ(answer->body, "body");
  EXPECT_THAT(server.requests(), ElementsAre("GET /statmill/x?k=a%3Db%26c"));
}

TEST(Client, TimesOutIfTheServerNeverAnswers) {
  const TcpListener silent;
  const Result<HttpAnswer> answer = client_of("http://" + silent.endpoint().text(), 50ms).get("/");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
}

TEST(Client, ReportsAServerThatClosesWithoutAnswer) {
  const FakeServer server("");
  const Result<HttpAnswer> answer = client_of(server.url()).get("/");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
}

TEST(Client, RefusesAnswersThatAreNotHttp) {
  const FakeServer server("SSH-2.0-OpenSSH_9.2\r\n\r\n");
  const Result<HttpAnswer> answer = client_of(server.url()).get("/");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kIo);
}

TEST(Client, RefusesATruncatedAnswer) {
  const FakeServer server("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
  EXPECT_FALSE(client_of(server.url()).get("/").has_value());
}

TEST(Client, ReadsChunkedAnswers) {
  const FakeServer server(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  const Result<HttpAnswer> answer = client_of(server.url()).get("/");
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->body, "abcde");
}

TEST(Client, ReportsTheSocketWithoutListener) {
  const Result<Client> client = Client::at_socket("no/such.sock", 1s);
  ASSERT_TRUE(client.has_value());
  const Result<HttpAnswer> answer = client->get("/");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(answer.error().message, "cannot reach no/such.sock: No such file or directory");
}

TEST(Client, AcceptsOnlyHostsAndHttpUrls) {
  for (const char* url : {"", ":8112", "h:port", "http://h:80port/", "ftp://h", "http://", "http:///x",
                          "http://h/?a=b", "http://h/#a", "http://user@h/", "http://h:99999999/"}) {
    EXPECT_FALSE(Client::to(url, 1s).has_value()) << url;
  }
}

}  // namespace
}  // namespace statmill
