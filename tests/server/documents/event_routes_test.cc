#include "server/documents/event_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/documents/documents_fixture.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class EventRoutes : public DocumentsFixture {
 protected:
  std::string ok(std::string_view target) {
    const HttpResponse got = get(target);
    EXPECT_EQ(got.status, 200U) << got.body;
    return got.body;
  }
  HttpResponse post(std::string_view body) { return send("POST", "/api/v1/events", body); }
};

TEST_F(EventRoutes, AnEventIsStoredBeforeItsAnswer) {
  const HttpResponse added = post(R"({"title":"deploy 1.4.2","tags":["deploy"],"where":"host=web*"})");
  EXPECT_EQ(added.status, 201U) << added.body;
  EXPECT_EQ(added.body, "{\"id\":1}\n");
  restart();
  const std::string want =
      R"({"events":[{"id":1,"time":1700000000,"until":null,"title":"deploy 1.4.2","text":"","tags":["deploy"],)"
      R"("where":"host=web*","by":"10.0.0.7","source":"user"}],"truncated":false})"
      "\n";
  EXPECT_EQ(ok("/api/v1/events"), want);
  EXPECT_EQ(ok("/api/v1/events?from=-1m&until=now&tags=deploy,x&where=host%3Dweb1&limit=1"), want);
  EXPECT_EQ(ok("/api/v1/events?where=host%3Ddb1"), "{\"events\":[],\"truncated\":false}\n");
}

TEST_F(EventRoutes, AnEventCanBeDeleted) {
  post(R"({"title":"a"})");
  EXPECT_EQ(send("DELETE", "/api/v1/events/2", "", {.content_type = {}}).status, 404U);
  EXPECT_EQ(send("DELETE", "/api/v1/events/x", "", {.content_type = {}}).status, 404U);
  const HttpResponse removed = send("DELETE", "/api/v1/events/1", "", {.content_type = {}});
  EXPECT_EQ(removed.status, 200U);
  EXPECT_EQ(removed.body, "{\"deleted\":1}\n");
  restart();
  EXPECT_THAT(ok("/api/v1/events"), HasSubstr("\"events\":[]"));
}

TEST_F(EventRoutes, BadRequestsAreRefused) {
  EXPECT_EQ(post("{}").status, 400U);
  EXPECT_EQ(send("POST", "/api/v1/events", R"({"title":"a"})", {.content_type = "text/plain"}).status, 415U);
  EXPECT_EQ(send("POST", "/api/v1/events", R"({"title":"a"})", {.origin = "http://evil.example"}).status,
            403U);
  EXPECT_EQ(send("DELETE", "/api/v1/events/1", "", {.origin = "http://evil.example"}).status, 403U);
  EXPECT_EQ(send("PUT", "/api/v1/events", "{}").status, 405U);
  EXPECT_EQ(send("PUT", "/api/v1/events", "{}").allow, "GET, HEAD, POST");
  for (const char* bad : {"limit=0", "limit=10001", "from=x", "until=x", "a=b", "limit=1&limit=2"})
    EXPECT_EQ(get(std::string("/api/v1/events?") + bad).status, 400U) << bad;
  std::string many = "/api/v1/events?tags=a";
  for (int i = 0; i < 16; ++i) many += ",a";
  EXPECT_EQ(get(many).status, 400U);
}

TEST_F(EventRoutes, ARequestDoesNotWaitForeverForTheStore) {
  patience_ = std::chrono::seconds(1);
  restart();
  is_store_at_work_ = false;
  const HttpResponse added = post(R"({"title":"a"})");
  EXPECT_EQ(added.status, 503U);
  EXPECT_THAT(added.body, HasSubstr("is made in memory"));
  is_store_at_work_ = true;
  tick();
  patience_ = std::chrono::minutes(1);
  restart();
  EXPECT_THAT(ok("/api/v1/events"), HasSubstr("\"title\":\"a\""));
}

TEST_F(EventRoutes, TheServerNotesItsStartsAndStops) {
  documents_->note_start("1.0");
  tick();
  restart();
  documents_->note_start("1.1");
  documents_->note_stop();
  tick();
  restart();
  documents_->note_start("1.2");
  documents_->note_change("2 series deleted", "a, b", "10.0.0.7");
  const std::string events = ok("/api/v1/events?tags=server");
  EXPECT_THAT(events, HasSubstr(R"("text":"version 1.0")"));
  EXPECT_THAT(events, HasSubstr(R"("text":"version 1.1; the last run ended without a stop")"));
  EXPECT_THAT(events, HasSubstr(R"("title":"the server stopped")"));
  EXPECT_THAT(events, HasSubstr(R"("text":"version 1.2")"));
  EXPECT_THAT(
      ok("/api/v1/events?tags=names"),
      HasSubstr(R"("title":"2 series deleted","text":"a, b","tags":["names"],"where":"","by":"10.0.0.7")"));
}

TEST_F(EventRoutes, DamagedRowsAreLeftOutAndRemoved) {
  post(R"({"title":"a"})");
  StoreBatch batch;
  batch.documents = {{{DocumentKind::kEvent, "bad"}, {}, "{}"},
                     {{DocumentKind::kDashboard, "bad"}, {}, "{}"}};
  ASSERT_TRUE(store_.write(batch));
  restart();
  EXPECT_THAT(ok("/api/v1/events"), HasSubstr("\"title\":\"a\""));
  tick();
  EXPECT_EQ(store_.snapshot()->documents()->rows.size(), 1U);
}

}  // namespace
}  // namespace statmill
