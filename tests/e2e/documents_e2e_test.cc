// Events, dashboards and views: what was answered survives kill -9 and is in backups; the server notes what
// happens to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Of the tokens "r" and "w".
constexpr const char* kSha256OfR = "454349e422f05297191ead13e21d3db520e5abef52055e4964b82fb213f593a1";
constexpr const char* kSha256OfW = "50e721e49c013f00c62cf59f2163542a9d8df02464efeb615d31051b0fddc326";

class DocumentsE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(cli({"check"}).status, 0) << "the stored data are inconsistent";
    EXPECT_EQ(server_.stop(), 0);
  }
  Ended cli(std::vector<std::string> arguments) { return server_.cli(std::move(arguments)); }
  HttpReply send(const std::string& method, const std::string& target, const std::string& fields,
                 const std::string& body) const {
    return http_raw(server_.http(),
                    method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + fields +
                        "Content-Type: application/json\r\nConnection: close\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  HttpReply create(const std::string& id, const std::string& title) const {
    return send("PUT", "/api/v1/dashboards/" + id, "If-None-Match: *\r\n",
                R"({"format":1,"title":")" + title + R"(","panels":[]})");
  }
  void kill_and_start() {
    server_.kill();
    server_.start();
  }

  const TempDirectory directory_;
  ServerProcess server_{STATMILL_BIN, {"--dashboards.dir", directory_.path()}};
};

TEST_F(DocumentsE2e, WhatWasAnsweredSurvivesAKill) {
  const HttpReply event = send("POST", "/api/v1/events", "", R"({"title":"deploy 1.4.2","tags":["deploy"]})");
  EXPECT_EQ(event.status, 201) << event.body;
  EXPECT_EQ(create("disks", "one").status, 201);
  const HttpReply view = send("POST", "/api/v1/views", "", R"({"fragment":"/hosts"})");
  EXPECT_EQ(view.status, 200) << view.body;
  kill_and_start();
  EXPECT_THAT(
      server_.get("/api/v1/events?tags=deploy"),
      AllOf(HasSubstr(R"("title":"deploy 1.4.2")"), HasSubstr(R"("by":"127.0.0.1","source":"user")")));
  EXPECT_THAT(server_.get("/api/v1/events?tags=server"), HasSubstr("the last run ended without a stop"));
  const HttpReply dashboard = http_get(server_.http(), "/api/v1/dashboards/disks");
  EXPECT_EQ(dashboard.body, R"({"format":1,"title":"one","panels":[]})");
  const std::string name = view.body.substr(9, 16);
  EXPECT_EQ(server_.get("/api/v1/views/" + name), R"({"fragment":"/hosts"})");

  const std::string etag = dashboard.header("ETag");
  const HttpReply replaced = send("PUT", "/api/v1/dashboards/disks", "If-Match: " + etag + "\r\n",
                                  R"({"format":1,"title":"two","panels":[]})");
  EXPECT_EQ(replaced.status, 200) << replaced.body;
  EXPECT_EQ(send("DELETE", "/api/v1/dashboards/disks", "If-Match: " + etag + "\r\n", "").status, 412);
  kill_and_start();
  EXPECT_THAT(server_.get("/api/v1/dashboards/disks/versions"),
              AllOf(HasSubstr(R"("version":2)"), HasSubstr(R"("version":1)")));
  EXPECT_EQ(send("DELETE", "/api/v1/dashboards/disks", "If-Match: *\r\n", "").status, 200);
  kill_and_start();
  EXPECT_EQ(http_get(server_.http(), "/api/v1/dashboards/disks").status, 404);
  EXPECT_EQ(http_get(server_.http(), "/api/v1/dashboards/disks?version=2").body,
            R"({"format":1,"title":"two","panels":[]})");
}

TEST_F(DocumentsE2e, TheServerNotesItsStopsAndChangesOfNames) {
  server_.send("room.heat 20\n");
  server_.wait_until_durable();
  EXPECT_EQ(cli({"rename", "room.heat", "hall.heat"}).status, 0);
  EXPECT_EQ(cli({"delete", "hall.heat"}).status, 0);
  EXPECT_EQ(server_.stop(), 0);
  server_.start();
  const std::string events = server_.get("/api/v1/events");
  EXPECT_THAT(events, AllOf(HasSubstr(R"("title":"the server stopped")"), Not(HasSubstr("without a stop")),
                            HasSubstr(R"("title":"1 series renamed","text":"room.heat to hall.heat")"),
                            HasSubstr(R"("title":"1 series deleted","text":"hall.heat")")));
}

TEST_F(DocumentsE2e, AreInBackups) {
  EXPECT_EQ(create("disks", "one").status, 201);
  EXPECT_EQ(send("POST", "/api/v1/events", "", R"({"title":"deploy"})").status, 201);
  const std::string backup = directory_.path() / "backup";
  EXPECT_EQ(cli({"backup", backup}).status, 0);
  EXPECT_EQ(cli({"check", backup}).status, 0);
  ServerProcess restored(STATMILL_BIN);
  EXPECT_EQ(cli({"restore", backup, restored.data() / "data"}).status, 0);
  restored.start();
  EXPECT_THAT(restored.get("/api/v1/events"), HasSubstr(R"("title":"deploy")"));
  EXPECT_THAT(restored.get("/api/v1/dashboards"), HasSubstr(R"("id":"disks","title":"one")"));
  EXPECT_EQ(restored.stop(), 0);
}

TEST_F(DocumentsE2e, FilesAreDashboards) {
  std::ofstream(directory_.path() / "team.json") << R"({"format":1,"title":"Team","panels":[]})";
  const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
  std::string list;
  while (list.find("\"team\"") == std::string::npos && std::chrono::steady_clock::now() < deadline)
    list = server_.get("/api/v1/dashboards");
  EXPECT_THAT(list, HasSubstr(R"({"id":"team","title":"Team","folder":"","source":"file")"));
  EXPECT_EQ(create("team", "x").status, 403);
}

// As a script posts it: without a type, with the Host that it knows.
TEST_F(DocumentsE2e, GraphitesEventsAreGuardedLikeOthers) {
  const std::string body = R"({"what":"deploy 1.4.2","tags":"deploy shop"})";
  const auto post = [&](const std::string& fields) {
    return http_raw(server_.http(), "POST /events/ HTTP/1.1\r\n" + fields +
                                        "Connection: close\r\nContent-Length: " +
                                        std::to_string(body.size()) + "\r\n\r\n" + body)
        .status;
  };
  EXPECT_EQ(post("Host: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"), 200);
  EXPECT_EQ(post("Host: evil.example\r\n"), 421);
  EXPECT_EQ(post("Host: localhost\r\nOrigin: http://evil.example\r\n"), 403);
  EXPECT_EQ(post("Host: localhost\r\nOrigin: null\r\nContent-Type: text/plain\r\n"), 403);
  EXPECT_THAT(server_.get("/events/get_data?tags=deploy"),
              HasSubstr(R"("what":"deploy 1.4.2","tags":["deploy","shop"],"data":"")"));
  EXPECT_THAT(server_.get("/api/v1/events?tags=shop"), HasSubstr(R"("title":"deploy 1.4.2")"));
}

TEST_F(DocumentsE2e, GraphitesEventsNeedTheRoleWriteIfThereAreTokens) {
  const std::string tokens = directory_.path() / "tokens";
  std::ofstream(tokens) << "read " << kSha256OfR << "\nwrite " << kSha256OfW << "\n";
  std::filesystem::permissions(tokens, std::filesystem::perms::owner_read);
  ServerProcess guarded(STATMILL_BIN, {"--http.tokens", tokens});
  guarded.start();
  const auto post = [&](const std::string& token) {
    return http_raw(guarded.http(), "POST /events/ HTTP/1.1\r\nHost: localhost\r\n" + token +
                                        "Connection: close\r\nContent-Length: 12\r\n\r\n{\"what\":\"a\"}")
        .status;
  };
  EXPECT_EQ(post(""), 401);
  EXPECT_EQ(post("Authorization: Bearer r\r\n"), 403);
  EXPECT_EQ(post("Authorization: Bearer w\r\n"), 200);
  EXPECT_EQ(guarded.stop(), 0);
}

TEST_F(DocumentsE2e, ForeignPagesAndLongBodiesAreRefused) {
  EXPECT_EQ(send("POST", "/api/v1/events", "Origin: http://evil.example\r\n", R"({"title":"a"})").status,
            403);
  EXPECT_EQ(send("DELETE", "/api/v1/events/1", "Origin: http://evil.example\r\n", "").status, 403);
  EXPECT_EQ(
      send("PUT", "/api/v1/dashboards/a", "If-None-Match: *\r\n", std::string((256 << 10) + 1, ' ')).status,
      413);
  EXPECT_EQ(send("POST", "/api/v1/views", "", std::string((64 << 10) + 1, ' ')).status, 413);
  EXPECT_EQ(http_post(server_.http(), "/api/v1/events", R"({"title":"a"})").status, 415);
}

}  // namespace
}  // namespace statmill
