#include "server/documents/dashboard_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/server/documents/documents_fixture.h"

namespace statmill {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const std::string& title) {
  return R"({"format":1,"title":")" + title + R"(","panels":[]})";
}

class DashboardRoutes : public DocumentsFixture {
 protected:
  HttpResponse create(std::string_view id, const std::string& title) {
    return send("PUT", "/api/v1/dashboards/" + std::string(id), text_of(title), {.if_none_match = "*"});
  }
  HttpResponse replace(std::string_view id, const std::string& title, std::string_view etag) {
    return send("PUT", "/api/v1/dashboards/" + std::string(id) + "?note=better", text_of(title),
                {.if_match = etag});
  }
  HttpResponse remove(std::string_view id, std::string_view etag) {
    return send("DELETE", "/api/v1/dashboards/" + std::string(id), {},
                {.if_match = etag, .content_type = {}});
  }
  std::string list() { return get("/api/v1/dashboards").body; }
  void write_file(const std::string& name, const std::string& content) {
    std::ofstream(directory_.path() / name) << content;
  }
};

TEST_F(DashboardRoutes, AChangeNeedsTheVersionThatItReplaces) {
  const HttpResponse created = create("disks", "one");
  EXPECT_EQ(created.status, 201U) << created.body;
  EXPECT_THAT(created.body, HasSubstr(R"({"version":1,"etag":"\"1-)"));
  EXPECT_EQ(create("disks", "two").status, 412U);
  EXPECT_EQ(replace("disks", "two", {}).status, 428U);
  const HttpResponse replaced = replace("disks", "two", created.etag);
  EXPECT_EQ(replaced.status, 200U) << replaced.body;
  const HttpResponse late = replace("disks", "three", created.etag);
  EXPECT_EQ(late.status, 412U);
  EXPECT_EQ(late.body,
            "{\"error\":\"the dashboard disks has version 2 meanwhile\",\"status\":412,\"version\":2}\n");
  EXPECT_EQ(replace("none", "x", "\"1-0\"").body,
            "{\"error\":\"there is no dashboard none to replace\",\"status\":412,\"version\":0}\n");
  restart();
  EXPECT_EQ(get("/api/v1/dashboards/disks").body, text_of("two"));
}

TEST_F(DashboardRoutes, AreReadWithTheirVersions) {
  const std::string etag = create("disks", "one").etag;
  replace("disks", "two", etag);
  restart();
  const HttpResponse newest = get("/api/v1/dashboards/disks");
  EXPECT_EQ(newest.status, 200U);
  EXPECT_EQ(newest.content_type, kJson);
  const HttpResponse same = get("/api/v1/dashboards/disks", newest.etag);
  EXPECT_EQ(same.status, 304U);
  EXPECT_EQ(same.body, "");
  EXPECT_EQ(get("/api/v1/dashboards/disks", etag).status, 200U);
  const HttpResponse first = get("/api/v1/dashboards/disks?version=1");
  EXPECT_EQ(first.body, text_of("one"));
  EXPECT_EQ(first.etag, etag);
  EXPECT_EQ(get("/api/v1/dashboards/disks?version=3").status, 404U);
  EXPECT_EQ(get("/api/v1/dashboards/disks?version=x").status, 400U);
  EXPECT_EQ(get("/api/v1/dashboards/none").status, 404U);
  EXPECT_EQ(get("/api/v1/dashboards/none/versions").status, 404U);
  EXPECT_EQ(get("/api/v1/dashboards/disks/versions").body,
            R"({"versions":[{"version":2,"changed":1700000000,"by":"10.0.0.7","bytes":38,"note":"better"},)"
            R"({"version":1,"changed":1700000000,"by":"10.0.0.7","bytes":38,"note":""}]})"
            "\n");
  EXPECT_THAT(list(),
              AllOf(HasSubstr(R"({"writable":true,"dashboards":[)"),
                    HasSubstr(R"({"id":"disks","title":"two","folder":"","source":"saved","version":2,)"),
                    HasSubstr(R"("changed":1700000000,"by":"10.0.0.7","panels":0})"),
                    HasSubstr(R"({"id":"fleet","title":"Fleet","folder":"","source":"built-in")")));
}

TEST_F(DashboardRoutes, ADeletedOneCanBeBroughtBack) {
  const std::string etag = create("disks", "one").etag;
  EXPECT_EQ(remove("disks", {}).status, 428U);
  EXPECT_EQ(remove("disks", "\"9-0\"").status, 412U);
  EXPECT_EQ(remove("none", "*").status, 404U);
  EXPECT_EQ(remove("disks", etag).status, 200U);
  restart();
  EXPECT_EQ(get("/api/v1/dashboards/disks").status, 404U);
  EXPECT_THAT(list(), Not(HasSubstr("disks")));
  EXPECT_THAT(get("/api/v1/dashboards/disks/versions").body, HasSubstr(R"("note":"","deleted":true})"));
  const std::string before = get("/api/v1/dashboards/disks?version=1").body;
  const HttpResponse back = send("PUT", "/api/v1/dashboards/disks", before, {.if_none_match = "*"});
  EXPECT_EQ(back.status, 201U);
  EXPECT_THAT(back.body, HasSubstr("\"version\":3"));
}

TEST_F(DashboardRoutes, BadRequestsAreRefused) {
  const HttpResponse faulty =
      send("PUT", "/api/v1/dashboards/a", R"({"format":1,"title":"x","panels":[1]})", {.if_none_match = "*"});
  EXPECT_EQ(faulty.status, 422U);
  EXPECT_EQ(faulty.body, R"({"error":"this is not a dashboard: /panels/0 must be an object","status":422,)"
                         R"("errors":[{"at":"/panels/0","error":"must be an object"}]})"
                         "\n");
  EXPECT_EQ(create("A", "x").status, 400U);
  EXPECT_EQ(send("PUT", "/api/v1/dashboards/a", text_of("x"), {.if_none_match = "\"1\""}).status, 400U);
  EXPECT_EQ(
      send("PUT", "/api/v1/dashboards/a?note=" + std::string(201, 'x'), text_of("x"), {.if_none_match = "*"})
          .status,
      400U);
  EXPECT_EQ(
      send("PUT", "/api/v1/dashboards/a", text_of("x"), {.if_none_match = "*", .content_type = {}}).status,
      415U);
  EXPECT_EQ(send("PUT", "/api/v1/dashboards/a", text_of("x"),
                 {.if_none_match = "*", .origin = "http://evil.example"})
                .status,
            403U);
  EXPECT_EQ(router_->body_bytes_max("PUT", "/api/v1/dashboards/a"), kDashboardBytesMax);
}

TEST_F(DashboardRoutes, FilesAreReadAgainWhenTheyChange) {
  options_.dashboards_dir = directory_.path();
  write_file("disks.json", text_of("one"));
  write_file("broken.json", "{");
  write_file("long.json", std::string(kDashboardBytesMax + 1, ' '));
  write_file("Other.json", text_of("x"));
  write_file("readme.txt", "x");
  restart();
  EXPECT_THAT(list(),
              AllOf(HasSubstr(R"({"id":"disks","title":"one","folder":"","source":"file","version":1,)"),
                    HasSubstr(R"("faults":[{"file":"broken.json","error":" the body is not JSON: )"),
                    HasSubstr(R"({"file":"long.json","error":"it has more than 262144 bytes"}]})"),
                    Not(HasSubstr("ther"))));
  write_file("disks.json", text_of("two, longer"));
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(get("/api/v1/dashboards/disks").body, text_of("two, longer"));
  EXPECT_EQ(create("disks", "x").status, 403U);
  EXPECT_EQ(remove("disks", "*").status, 403U);
  std::filesystem::remove(directory_.path() / "disks.json");
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(get("/api/v1/dashboards/disks").status, 404U);
  EXPECT_EQ(create("disks", "saved").status, 201U);
}

TEST_F(DashboardRoutes, ThoseOfTheProgramAreReadOnly) {
  EXPECT_EQ(create("fleet", "x").status, 403U);
  EXPECT_THAT(get("/api/v1/dashboards/fleet").body, HasSubstr("\"title\":\"Fleet\""));
  EXPECT_EQ(get("/api/v1/dashboards/fleet?version=2").status, 404U);
  EXPECT_THAT(get("/api/v1/dashboards/fleet/versions").body, HasSubstr("\"version\":1"));
}

class ViewRoutes : public DocumentsFixture {};

TEST_F(ViewRoutes, AViewIsKeptByItsContent) {
  const HttpResponse kept = send("POST", "/api/v1/views", R"({"fragment":"/hosts"})");
  EXPECT_EQ(kept.status, 200U) << kept.body;
  EXPECT_EQ(send("POST", "/api/v1/views", R"({"fragment":"/hosts"})").body, kept.body);
  const std::string name = view_name(R"({"fragment":"/hosts"})");
  EXPECT_EQ(kept.body, "{\"view\":\"" + name + "\"}\n");
  restart();
  EXPECT_EQ(get("/api/v1/views/" + name).body, R"({"fragment":"/hosts"})");
  EXPECT_EQ(get("/api/v1/views/none").status, 404U);
  EXPECT_EQ(send("POST", "/api/v1/views", "[]").status, 400U);
  EXPECT_EQ(send("POST", "/api/v1/views", "{}", {.content_type = "text/plain"}).status, 415U);
}

}  // namespace
}  // namespace statmill
