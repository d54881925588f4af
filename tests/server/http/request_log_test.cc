// The lines in the log of requests that change something.
#include "server/http/request_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "tests/server/http/http_peer.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::Not;

// SHA-256 of "a" and of "abc".
constexpr std::string_view kTokens =
    "write ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb the deploy script\n"
    "read ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n";

// What was written to the log meanwhile.
class Logged {
 public:
  Logged() { testing::internal::CaptureStderr(); }
  std::string end() { return testing::internal::GetCapturedStderr(); }
};

class RequestLogTest : public testing::Test {
 protected:
  ~RequestLogTest() override {
    server_->stop();
    thread_.join();
  }
  HttpSite site() {
    HttpSite site = fake_.site();
    site.log = &log_;
    Route change{.method = "POST",
                 .path = "/change",
                 .parameters = {},
                 .body_bytes_max = 10,
                 .handle =
                     [](const Url&, std::string_view body) {
                       return body == "no" ? error_response(422, "no") : HttpResponse{200, "{}\n", kJson, {}};
                     },
                 .description = "changes"};
    change.role = Role::kWrite;
    change.strictness = Strictness::kLenient;
    site.routes.push_back(std::move(change));
    return site;
  }
  std::string path() const { return directory_.path() / "admin.sock"; }
  void serve(Result<std::unique_ptr<HttpServer>> server) {
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
    thread_ = std::thread([this] { io_.run(); });
  }
  void start_unix() { serve(HttpServer::open_unix(io_, path(), site())); }
  void start_tcp(const HttpOptions& options = {}) {
    const std::string file = directory_.write("tokens", kTokens);
    ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
    access_.set(*Access::from_file(file));
    HttpSite site = this->site();
    site.access = &access_;
    serve(HttpServer::open(io_, {"127.0.0.1", 0}, std::move(site), options));
  }
  static int post(HttpPeer peer, std::string_view target, std::string_view token,
                  std::string_view body = "") {
    std::string request = "POST " + std::string(target) +
                          " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    if (!token.empty()) request += "Authorization: Bearer " + std::string(token) + "\r\n";
    peer.send(request + "\r\n" + std::string(body));
    return peer.receive().status;
  }
  int post_unix(std::string_view target, std::string_view body = "") {
    return post(HttpPeer(unix_connection(path())), target, "", body);
  }
  int post_tcp(std::string_view target, std::string_view token, std::string_view body = "") {
    return post(HttpPeer(server_->local_endpoint()), target, token, body);
  }

  TempDirectory directory_;
  FakeServices fake_;
  Log log_{LogLevel::kInfo};
  CurrentAccess access_;
  boost::asio::io_context io_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

TEST_F(RequestLogTest, AtAUnixSocketTheLineNamesUserAndProcess) {
  start_unix();
  Logged logged;
  EXPECT_EQ(post_unix("/change?name=x"), 200);
  EXPECT_THAT(logged.end(),
              HasSubstr("info request what=\"POST /change?name=x\" by=\"uid " + std::to_string(::getuid()) +
                        ", pid " + std::to_string(::getpid()) + " at the admin socket\" status=200 ms=0 "));
}

TEST_F(RequestLogTest, OverTcpTheLineNamesTheTokenAndTheAddress) {
  start_tcp();
  Logged logged;
  EXPECT_EQ(post_tcp("/change", "a"), 200);
  EXPECT_EQ(post_tcp("/change", "a", "no"), 422);
  const std::string lines = logged.end();
  EXPECT_THAT(lines, HasSubstr("what=\"POST /change\" by=\"the deploy script at 127.0.0.1\" status=200 "));
  EXPECT_THAT(lines, HasSubstr("what=\"POST /change\" by=\"the deploy script at 127.0.0.1\" status=422 "));
}

TEST_F(RequestLogTest, WhatChangesNothingHasNoLine) {
  start_tcp();
  Logged logged;
  EXPECT_EQ(post_tcp("/change", "abc"), 403) << "counted as low_role";
  EXPECT_EQ(post_tcp("/api/v1/lines", "a", "a 1\n"), 200) << "traffic";
  EXPECT_EQ(post_tcp("/api/v1/live", "a"), 415);
  EXPECT_EQ(post_tcp("/api/v1/query?series=cpu", "a"), 200);
  EXPECT_EQ(post_tcp("/nowhere", "a"), 404);
  EXPECT_THAT(logged.end(), Not(HasSubstr(" request ")));
}

TEST_F(RequestLogTest, TheAccessLogHasEveryRequest) {
  HttpOptions options;
  options.access_log = true;
  start_tcp(options);
  Logged logged;
  EXPECT_EQ(post_tcp("/api/v1/lines", "a", "a 1\n"), 200);
  EXPECT_EQ(post_tcp("/change", "abc"), 403);
  EXPECT_EQ(post_tcp("/change", ""), 401);
  HttpPeer broken(server_->local_endpoint());
  broken.send("nonsense\r\n\r\n");
  EXPECT_EQ(broken.receive().status, 400);
  const std::string lines = logged.end();
  EXPECT_THAT(
      lines,
      HasSubstr("access what=\"POST /api/v1/lines\" by=\"the deploy script at 127.0.0.1\" status=200 "));
  EXPECT_THAT(lines, HasSubstr("access what=\"POST /change\" by=127.0.0.1 status=403 "));
  EXPECT_THAT(lines, HasSubstr("access what=\"POST /change\" by=127.0.0.1 status=401 "));
  EXPECT_THAT(lines, HasSubstr("access what=- by=127.0.0.1 status=400 ")) << "its header was refused";
}

TEST(RequestLog, TheAccessLogHasAThousandLinesPerSecond) {
  Log log(LogLevel::kInfo);
  ManualClock clock(kFakeNow_s);
  RequestLog requests(log, clock, true);
  Logged logged;
  for (int i = 0; i < 1005; ++i) requests.access({}, 200, clock.steady());
  clock.advance(Duration(1000));
  requests.access({}, 200, clock.steady());
  const std::string lines = logged.end();
  EXPECT_EQ(std::ranges::count(lines, '\n'), 1001);
  EXPECT_THAT(lines, HasSubstr("held_back=5\n"));
}

TEST(RequestLog, RefusedRequestsOfOthersThanAdministratorsHaveTenLinesPerSecond) {
  Log log(LogLevel::kInfo);
  ManualClock clock(kFakeNow_s);
  RequestLog requests(log, clock);
  HttpRequest request{
      .method = "POST", .target = "/x", .body = {}, .host = {}, .origin = {}, .content_encoding = {}};
  const auto lines = [&](Role role, unsigned status, int times) {
    Logged logged;
    request.role = role;
    for (int i = 0; i < times; ++i) requests.note(request, status, clock.steady());
    return logged.end();
  };
  const auto count = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  EXPECT_EQ(count(lines(Role::kWrite, 422, 5)), 1);
  EXPECT_EQ(count(lines(Role::kWrite, 200, 5)), 5) << "what has changed something is never left out";
  EXPECT_EQ(count(lines(Role::kAdmin, 422, 5)), 5);
  clock.advance(Duration(100));
  EXPECT_THAT(lines(Role::kWrite, 422, 1), HasSubstr("held_back=4"));
}

TEST(RequestLog, ALongTargetIsCut) {
  Log log(LogLevel::kInfo);
  ManualClock clock(kFakeNow_s);
  RequestLog requests(log, clock);
  const std::string target = "/x?" + std::string(RequestLog::kTargetBytesMax, 'y');
  HttpRequest request{
      .method = "POST", .target = target, .body = {}, .host = {}, .origin = {}, .content_encoding = {}};
  Logged logged;
  requests.note(request, 200, clock.steady());
  const std::string line = logged.end();
  EXPECT_THAT(line, HasSubstr(target.substr(0, RequestLog::kTargetBytesMax) + "\" by=\"the admin socket\""));
}

}  // namespace
}  // namespace statmill
