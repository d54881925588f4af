// Events in Graphite's form: what is read, what is refused, and that they are the events of /api/v1/events.
#include "server/documents/graphite_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/documents/documents_fixture.h"

namespace statmill {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class GraphiteEvents : public DocumentsFixture {
 protected:
  HttpResponse post(std::string_view body, const Fields& fields) {
    return send("POST", "/events/", body, fields);
  }
  HttpResponse post(std::string_view body) { return post(body, {.content_type = {}}); }
  static Event parsed(std::string_view body) {
    const Result<Event> event = parse_graphite_event(body, from_unix_seconds(1'700'000'000));
    EXPECT_TRUE(event) << event.error().message;
    return event ? *event : Event{};
  }
};

TEST_F(GraphiteEvents, AreEventsLikeAllOthers) {
  const HttpResponse added =
      post(R"({"what":"deploy 1.4.2","tags":["deploy","shop"],"data":"by ci","when":1699999000.5})");
  EXPECT_EQ(added.status, 200U) << added.body;
  EXPECT_EQ(added.body, "{\"id\":1}\n");
  restart();
  EXPECT_THAT(get("/api/v1/events").body,
              HasSubstr(R"({"id":1,"time":1699999000.5,"until":null,"title":"deploy 1.4.2","text":"by ci",)"
                        R"("tags":["deploy","shop"],"where":"","by":"10.0.0.7","source":"user"})"));
  send("POST", "/api/v1/events", R"({"title":"a \"quoted\" one","tags":["deploy"]})");
  EXPECT_EQ(get("/events/get_data?from=0&until=now").body,
            R"([{"id":1,"when":1699999000,"what":"deploy 1.4.2","tags":["deploy","shop"],"data":"by ci"},)"
            R"({"id":2,"when":1700000000,"what":"a \"quoted\" one","tags":["deploy"],"data":""}])"
            "\n");
}

TEST_F(GraphiteEvents, TagsAreAListOrOneText) {
  EXPECT_THAT(parsed(R"({"what":"a","tags":" deploy, shop  x "})").tags, ElementsAre("deploy", "shop", "x"));
  EXPECT_THAT(parsed(R"({"what":"a","tags":["with blank"]})").tags, ElementsAre("with blank"));
  for (const char* none : {R"({"what":"a"})", R"({"what":"a","tags":null})", R"({"what":"a","tags":""})"})
    EXPECT_THAT(parsed(none).tags, IsEmpty()) << none;
}

TEST_F(GraphiteEvents, WhatElseComesIsJsonOrIgnored) {
  EXPECT_EQ(parsed(R"({"what":"a","data":{"by":"ci","n":[1]}})").text, R"({"by":"ci","n":[1]})");
  const Event event = parsed(R"({"what":"a","get_data":1,"until":5,"where":"x*","title":"b"})");
  EXPECT_EQ(event.title, "a");
  EXPECT_EQ(event.where, "");
  EXPECT_EQ(event.until, std::nullopt);
  EXPECT_EQ(event.time, from_unix_seconds(1'700'000'000));
}

TEST_F(GraphiteEvents, WhatIsNoEventIsRefused) {
  for (const std::string bad : {"", "[]", "what=a", "{}", R"({"title":"a"})", R"({"what":1})",
                                R"({"what":""})", R"({"what":"a","when":"x"})", R"({"what":"a","when":-1})",
                                R"({"what":"a","tags":[1]})", R"({"what":"a","tags":{}})"})
    EXPECT_EQ(post(bad).status, 400U) << bad;
  EXPECT_EQ(post(R"({"what":")" + std::string(201, 'a') + "\"}").status, 400U);
  EXPECT_EQ(get("/events/get_data").body, "[]\n");
}

// A page of another site can have a browser send a form or a text without a question. The browser says which
// page it was.
TEST_F(GraphiteEvents, ScriptsNeedNoContentTypeAndPagesOfOtherSitesAreRefused) {
  constexpr std::string_view kBody = R"({"what":"a"})";
  for (const char* type : {"", "application/x-www-form-urlencoded", "text/plain", "application/json"})
    EXPECT_EQ(post(kBody, {.content_type = type}).status, 200U) << type;
  EXPECT_EQ(send("POST", "/events", kBody, {.content_type = {}}).status, 200U);
  for (const char* type : {"text/plain", "application/json"}) {
    for (const char* origin : {"http://evil.example", "null", "http://h:2"})
      EXPECT_EQ(post(kBody, {.content_type = type, .origin = origin}).status, 403U) << type << origin;
  }
  EXPECT_EQ(post(kBody, {.content_type = "text/plain", .origin = "http://h:1"}).status, 415U);
  EXPECT_EQ(post(kBody, {.content_type = "Application/JSON; charset=utf-8", .origin = "http://h:1"}).status,
            200U);
}

TEST_F(GraphiteEvents, ChangesNeedTheRoleWrite) {
  for (const char* path : {"/events", "/events/", "/graphite/events", "/graphite/events/"})
    EXPECT_EQ(router_->handling("POST", path).role, Role::kWrite) << path;
  EXPECT_EQ(router_->handling("GET", "/events/get_data").role, Role::kRead);
}

TEST_F(GraphiteEvents, AreFoundByTimeAndTags) {
  post(R"({"what":"old","when":1699990000,"tags":"a b"})");
  post(R"({"what":"new","when":1699999900,"tags":"b"})");
  const auto found = [&](const std::string& query) {
    const std::string body = get("/events/get_data?" + query).body;
    return std::string(body.find("\"old\"") != std::string::npos ? "o" : "") +
           (body.find("\"new\"") != std::string::npos ? "n" : "");
  };
  EXPECT_EQ(found(""), "on");
  EXPECT_EQ(found("from=-5min&until=now"), "n");
  EXPECT_EQ(found("from=-5h"), "on");
  EXPECT_EQ(found("until=1699990000"), "o");
  EXPECT_EQ(found("tags=b"), "on");
  EXPECT_EQ(found("tags=a+b"), "o");
  EXPECT_EQ(found("tags=a+b&set=union"), "on");
  EXPECT_EQ(found("tags=c&format=json"), "");
  EXPECT_EQ(found("from=-1mon&until=-1h"), "o");
  for (const char* bad : {"from=x", "until=soon", "from=-1fortnightmin", "jsonp=alert"})
    EXPECT_EQ(get(std::string("/events/get_data?") + bad).status, 400U) << bad;
}

// What an annotation of Grafana 11 asks for.
TEST_F(GraphiteEvents, GrafanasAnnotationsAreAnswered) {
  send("POST", "/graphite/events/", R"({"what":"deploy","tags":"deploy shop","when":1699999900})",
       {.content_type = {}});
  const std::string want =
      R"([{"id":1,"when":1699999900,"what":"deploy","tags":["deploy","shop"],"data":""}])";
  EXPECT_EQ(get("/events/get_data?from=1699999000&until=1700000000&tags=deploy").body, want + "\n");
  EXPECT_EQ(get("/graphite/events/get_data?from=-6h&until=now&tags=deploy+shop").body, want + "\n");
}

}  // namespace
}  // namespace statmill
