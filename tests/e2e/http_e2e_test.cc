// What the HTTP port of a real server answers to whom.
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <filesystem>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

// Sends a request that names the server as `host`.
HttpReply ask_as(const ServerProcess& server, std::string_view host, std::string_view method = "GET",
                 std::string_view target = "/healthz") {
  const std::string request = std::string(method) + " " + std::string(target) +
                              " HTTP/1.1\r\nHost: " + std::string(host) +
                              "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  return http_raw(server.http(), request);
}

TEST(HttpE2e, OnlyOwnHostNamesAreServed) {
  ServerProcess server(STATMILL_BIN, {"--http.hosts", "stats.example.org", "--http.hosts", "nas"});
  server.start();
  const std::string port = ":" + std::to_string(server.http().port);
  for (const std::string host : {"localhost", "127.0.0.1", "[::1]", "stats.example.org", "NAS"}) {
    EXPECT_EQ(ask_as(server, host).status, 200) << host;
    EXPECT_EQ(ask_as(server, host + port).status, 200) << host;
  }
  EXPECT_EQ(ask_as(server, "evil.example" + port).status, 421);
  EXPECT_EQ(ask_as(server, "evil.example", "POST", "/api/v1/lines").status, 421);
  EXPECT_EQ(server.metric("statmill_http_refused_total{reason=\"unknown_host\"}"), 2);
  EXPECT_EQ(server.cli({"flush"}).status, 0) << "the admin socket has no name";
  EXPECT_EQ(server.stop(), 0);
}

TEST(HttpE2e, StatusSaysWhereTheServerListens) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const std::string status = http_get(server.http(), "/api/v1/status").body;
  EXPECT_NE(status.find("\"http\":\"" + server.http().text() + "\""), std::string::npos) << status;
  EXPECT_NE(status.find("\"line\":\"" + server.line().text() + "\""), std::string::npos) << status;
  EXPECT_EQ(server.stop(), 0);
}

TEST(HttpE2e, ThePageComesFromAFolder) {
  const TempDirectory folder;
  folder.write("index.html", "<title>x</title>");
  ServerProcess server(STATMILL_BIN, {"--http.assets", folder.path().string()});
  server.start();
  const HttpReply page = http_get(server.http(), "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<title>x</title>");
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.header("Cache-Control"), "no-store");
  EXPECT_EQ(http_get(server.http(), "/nothing.js").status, 404);
  EXPECT_EQ(http_post(server.http(), "/nothing.js", "").status, 404);
  EXPECT_EQ(http_post(server.http(), "/a/nothing.js", "").status, 405);
  EXPECT_EQ(http_get(server.http(), "/healthz").body, "ok\n");
  EXPECT_NE(http_get(server.http(), "/api").body.find(" /api/v1/query "), std::string::npos);
  EXPECT_EQ(server.stop(), 0);
}

TEST(HttpE2e, TheFolderOfThePageMustExist) {
  ServerProcess server(STATMILL_BIN, {"--http.assets", "/nowhere"});
  EXPECT_FALSE(server.try_start(0, 0, {}));
  EXPECT_EQ(server.process().wait(), 2);
  EXPECT_NE(server.process().standard_error().find("http.assets /nowhere: is not a folder"),
            std::string::npos);
}

TEST(HttpE2e, ThePageOfTheBinaryIsAskedForAgain) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const HttpReply page = http_get(server.http(), "/");
  EXPECT_EQ(page.status, 200);
  const std::string etag = page.header("ETag");
  if (etag.empty()) {
    EXPECT_NE(page.body.find("This binary has no page: "), std::string::npos);
    EXPECT_EQ(server.stop(), 0);
    GTEST_SKIP() << page.body;
  }
  const HttpReply same = http_raw(
      server.http(),
      "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIf-None-Match: " + etag + "\r\n\r\n");
  EXPECT_EQ(same.status, 304);
  EXPECT_EQ(same.body, "");
  EXPECT_EQ(same.header("Content-Length"), "");
  EXPECT_EQ(server.stop(), 0);
}

TEST(HttpE2e, ABatchHasTheAnswersOfItsQueries) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const std::string at = std::to_string(std::time(nullptr) / 10 * 10 - 100);
  const std::string range = "&from=" + at + "&until=" + std::to_string(std::stoll(at) + 60) + "&step=10";
  const HttpReply sent =
      http_post(server.http(), "/api/v1/lines",
                "cpu.idle " + at + " 5\ncpu.user " + at + " 7\n%latency " + at + " 3\n*hits " + at + " 4\n");
  ASSERT_EQ(sent.status, 200) << sent.body;
  const auto batch = [&](const std::string& queries) {
    const std::string body = "{\"from\":" + at + ",\"until\":" + std::to_string(std::stoll(at) + 60) +
                             ",\"step\":10,\"queries\":[" + queries + "]}";
    return http_raw(server.http(),
                    "POST /api/v1/query HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
                    "application/json\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  const HttpReply reply = batch(R"json({"id":"a","series":["cpu.*"],"stats":["avg","max","count"]},
               {"id":"b","kind":"heatmap","series":["latency"],"stats":["count","p50"]},
               {"id":"c","expr":"sum(hits)"},{"id":"d","series":["gone","cpu.idle","gone too"]},
               {"id":"e","series":["gone"]},{"id":"f","kind":"heatmap","series":["gone"]},
               {"id":"g","kind":"heatmap","series":["cpu.idle"]},{"id":"h","expr":"sum("})json");
  ASSERT_EQ(reply.status, 200) << reply.body;
  const auto lines = split(reply.body, '\n');
  ASSERT_EQ(lines.size(), 10U) << reply.body;
  const auto answer = [](std::string_view line) {  // without id, status, ms and cost
    const size_t ms = line.find(",\"ms\":");
    line = line.substr(line.find(',', ms + 1) + 1);
    return std::string(line.substr(0, line.find(",\"cost\":")));
  };
  const auto alone = [&](const std::string& target) {
    const HttpReply got = http_get(server.http(), target + range);
    EXPECT_EQ(got.status, 200) << got.body;
    return got.body.substr(1, got.body.find(",\"cost\":") - 1);
  };
  EXPECT_EQ(answer(lines[0]), alone("/api/v1/query?series=cpu.*&stats=avg,max,count"));
  EXPECT_EQ(answer(lines[1]), alone("/api/v1/heatmap?series=latency&stats=count,p50"));
  EXPECT_EQ(answer(lines[2]), alone("/api/v1/query?expr=sum(hits)"));
  EXPECT_EQ(answer(lines[3]),
            alone("/api/v1/query?series=cpu.idle") + ",\"missing\":[\"gone\",\"gone too\"]");
  EXPECT_NE(lines[4].find(R"("series":[],"missing":["gone"])"), std::string_view::npos) << lines[4];
  EXPECT_NE(
      lines[5].find(
          R"("series":[],"count":[null,null,null,null,null,null],"buckets":[],"counts":[],"missing":["gone"])"),
      std::string_view::npos)
      << lines[5];
  EXPECT_TRUE(lines[6].starts_with(R"({"id":"g","status":404,)")) << lines[6];
  EXPECT_TRUE(lines[7].starts_with(R"({"id":"h","status":400,)")) << lines[7];
  EXPECT_TRUE(lines[8].starts_with(R"({"done":8,)")) << lines[8];
  EXPECT_EQ(http_get(server.http(), "/api/v1/query?series=gone").status, 404);
  EXPECT_EQ(http_get(server.http(), "/api/v1/query?series=gone&missing=maybe").status, 400);
  EXPECT_EQ(server.stop(), 0);
}

// Returns what comes up to `text`, or to the end of the connection.
std::string receive_until(TcpConnection& connection, std::string_view text) {
  std::string got;
  while (got.find(text) == std::string::npos) {
    const std::string part = connection.receive();
    if (part.empty()) break;
    got += part;
  }
  return got;
}

TcpConnection live_stream(const ServerProcess& server, const std::string& body) {
  TcpConnection stream = TcpConnection::to(server.http());
  EXPECT_TRUE(
      stream.send("POST /api/v1/live HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  "Content-Length: " +
                  std::to_string(body.size()) + "\r\n\r\n" + body));
  return stream;
}

TEST(HttpE2e, LiveStreamsShowSamplesAsTheyCome) {
  ServerProcess server(STATMILL_BIN, {"--http.live", "1"});
  server.start();
  TcpConnection stream = live_stream(server, R"({"series":["live.x","*no"]})");
  EXPECT_NE(receive_until(stream, "event: state\n").find("HTTP/1.1 200 OK"), std::string::npos);
  ASSERT_EQ(http_post(server.http(), "/api/v1/lines", "live.x 40.5\n").status, 200);
  EXPECT_NE(receive_until(stream, "\"sum\":40.5,\"count\":1,\"min\":40.5,\"max\":40.5}").find("{\"i\":0,"),
            std::string::npos);
  TcpConnection second = live_stream(server, R"({"series":["live.x"]})");
  EXPECT_NE(receive_until(second, "--http.live").find("HTTP/1.1 503 "), std::string::npos);
  EXPECT_EQ(server.metric("statmill_live_streams"), 1);
  stream.close();
  second.close();
  const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
  while (server.metric("statmill_live_streams") > 0 && std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_EQ(server.metric("statmill_live_streams"), 0);
  TcpConnection third = live_stream(server, R"({"series":["live.x"]})");
  receive_until(third, "event: slots\n");
  EXPECT_EQ(server.stop(), 0) << "an open stream does not keep the server";
  third.receive_all();
}

HttpReply ask_with(const ServerProcess& server, std::string_view method, std::string_view target,
                   std::string_view token, std::string_view body = "") {
  return http_raw(server.http(),
                  std::string(method) + " " + std::string(target) +
                      " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer " +
                      std::string(token) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                      std::string(body));
}

TEST(HttpE2e, TokensHaveRoles) {
  const TempDirectory folder;
  // SHA-256 of abc, of a, and of secret.
  const std::string path =
      folder
          .write("tokens",
                 "read ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
                 "write ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb\n"
                 "admin 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b the operator\n")
          .string();
  std::filesystem::permissions(path,
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  ServerProcess server(STATMILL_BIN, {"--http.tokens", path});
  server.start();
  EXPECT_EQ(http_get(server.http(), "/healthz").status, 200);
  EXPECT_EQ(http_get(server.http(), "/").status, 200);
  const HttpReply refused = http_get(server.http(), "/api/v1/status");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.header("WWW-Authenticate"), "Bearer");
  const HttpReply reader = ask_with(server, "GET", "/api/v1/status", "abc");
  EXPECT_NE(reader.body.find("\"writable\":false,\"admin\":false,\"demo\":false"), std::string::npos)
      << reader.body;
  EXPECT_NE(ask_with(server, "GET", "/api/v1/status", "a").body.find("\"writable\":true,\"admin\":false"),
            std::string::npos);
  EXPECT_NE(ask_with(server, "GET", "/api/v1/status", "secret").body.find("\"writable\":true,\"admin\":true"),
            std::string::npos);
  EXPECT_EQ(ask_with(server, "POST", "/api/v1/lines", "abc", "x.y 1\n").status, 403);
  EXPECT_EQ(ask_with(server, "POST", "/api/v1/lines", "a", "x.y 1\n").status, 200);
  EXPECT_EQ(ask_with(server, "POST", "/admin/v1/delete?match=x.*", "a").status, 403);
  const HttpReply deleted = ask_with(server, "POST", "/admin/v1/delete?match=x.*", "secret");
  EXPECT_EQ(deleted.body, "{\"deleted\":1,\"erased\":0}\n");
  EXPECT_NE(
      ask_with(server, "GET", "/api/v1/events?tags=names", "abc").body.find("\"by\":\"the operator at 127"),
      std::string::npos);
  EXPECT_EQ(ask_with(server, "POST", "/admin/v1/flush", "secret").status, 404) << "only at the socket";
  EXPECT_EQ(server.cli({"flush"}).status, 0) << "the socket needs no token";
  EXPECT_NE(server.cli({"status"}).status, 0);
  const std::string cli = std::string(STATMILL_BIN) + "/statmill";
  Process with_token(
      {cli, {"status", "--server", "http://" + server.http().text()}, {{"STATMILL_TOKEN", "abc"}}});
  EXPECT_EQ(with_token.wait(), 0) << with_token.standard_error();
  const std::string backup = folder.path() / "backup";
  const std::vector<std::string> backs_up = {"backup", backup, "--server", "http://" + server.http().text()};
  Process without_right({cli, backs_up, {{"STATMILL_TOKEN", "a"}}});
  EXPECT_EQ(without_right.wait(), 1);
  const std::string piece = "/admin/v1/snapshots/0/piece?file=CURRENT&offset=0&bytes=1";
  EXPECT_EQ(ask_with(server, "GET", piece, "a").status, 403);
  EXPECT_EQ(ask_with(server, "GET", piece, "secret").status, 404);
  EXPECT_FALSE(std::filesystem::exists(backup));
  Process with_right({cli, backs_up, {{"STATMILL_TOKEN", "secret"}}});
  EXPECT_EQ(with_right.wait(), 0) << with_right.standard_error();
  EXPECT_EQ(server.cli({"verify", backup}).status, 0);
  EXPECT_EQ(server.stop(), 0);
}

TEST(HttpE2e, OthersMustNotReadTheTokens) {
  const TempDirectory folder;
  const std::string path = folder.write("tokens", "read x\n").string();
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  ServerProcess server(STATMILL_BIN, {"--http.tokens", path});
  EXPECT_FALSE(server.try_start(0, 0, {}));
  EXPECT_EQ(server.process().wait(), 2);
  EXPECT_NE(server.process().standard_error().find("others can open it: its mode must be 0640, or less"),
            std::string::npos);
}

TEST(HttpE2e, WithoutTokensThisHostMayWrite) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const std::string status = server.get("/api/v1/status");
  EXPECT_NE(status.find("\"writable\":true,\"admin\":false,\"demo\":false"), std::string::npos) << status;
  EXPECT_NE(status.find("\"now\":"), std::string::npos);
  EXPECT_NE(status.find("\"build\":\""), std::string::npos);
  EXPECT_EQ(http_post(server.http(), "/admin/v1/delete?match=x", "").status, 404);
  EXPECT_EQ(server.stop(), 0);
}

}  // namespace
}  // namespace statmill
