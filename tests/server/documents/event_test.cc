#include "server/documents/event.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "base/text.h"

namespace statmill {
namespace {

constexpr Timestamp kNow{Duration(1'700'000'000'250)};

Event some_event() {
  return {.id = 7,
          .time = Timestamp(Duration(1500)),
          .until = Timestamp(Duration(2500)),
          .title = "deploy 1.4.2",
          .text = "a\nb",
          .tags = {"deploy", "web"},
          .where = "*host=web*",
          .by = "10.0.0.7",
          .is_own = false};
}

TEST(EventTest, HasAGoldenRow) {
  const DocumentRow row = event_row(some_event());
  EXPECT_EQ(row.key.id, std::string("\0\0\0\0\0\0\0\7", 8));
  EXPECT_EQ(row.time, Timestamp(Duration(1500)));
  EXPECT_EQ(row.body, R"({"until":2500,"title":"deploy 1.4.2","text":"a\u000ab","tags":["deploy","web"],)"
                      R"("where":"*host=web*","by":"10.0.0.7","own":false})");
}

TEST(EventTest, RowsRoundTrip) {
  Event plain{.id = 1, .time = kNow, .title = "x", .is_own = true};
  Event hidden = some_event();
  hidden.title =
      "a\xe2\x80\xae"
      "b \"<script>";
  for (const Event& event : {some_event(), plain, hidden}) {
    const auto again = event_of(event_row(event));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, event);
  }
}

TEST(EventTest, RefusesRowsThatItDidNotWrite) {
  DocumentRow row = event_row(some_event());
  const std::string body = row.body;
  for (const char* bad :
       {"", "[]", "{}", R"({"title":""})", R"({"title":"a","other":"b"})", R"({"title":"a","tags":["b",1]})",
        R"({"title":"a","tags":"b"})", R"({"title":"a","until":1.5})", R"({"title":"a","own":1})"}) {
    row.body = bad;
    EXPECT_FALSE(event_of(row)) << bad;
  }
  row.body = body;
  row.key.id = std::string(8, '\0');
  EXPECT_FALSE(event_of(row));
  row.key.id = "1234567";
  EXPECT_FALSE(event_of(row));
}

TEST(EventTest, AnswersHaveSeconds) {
  std::string json;
  append_event_json(json, some_event());
  EXPECT_EQ(
      json,
      R"({"id":7,"time":1.5,"until":2.5,"title":"deploy 1.4.2","text":"a\u000ab","tags":["deploy","web"],)"
      R"("where":"*host=web*","by":"10.0.0.7","source":"user"})");
  std::string own;
  append_event_json(own, {.id = 1, .time = kNow, .title = "x", .is_own = true});
  EXPECT_EQ(own, R"({"id":1,"time":1700000000.25,"until":null,"title":"x","text":"","tags":[],)"
                 R"("where":"","by":"","source":"server"})");
}

TEST(EventTest, ParsesRequests) {
  const auto full =
      parse_event(R"({"time":1.5,"until":2.5,"title":"deploy 1.4.2","text":"a\nb","tags":["deploy","web"],)"
                  R"("where":"*host=web*"})",
                  kNow);
  ASSERT_TRUE(full) << full.error().message;
  Event want = some_event();
  want.id = 0;
  want.by = "";
  EXPECT_EQ(*full, want);
  const auto least = parse_event(R"({"title":"x"})", kNow);
  ASSERT_TRUE(least);
  EXPECT_EQ(*least, (Event{.time = kNow, .title = "x"}));
  const auto relative = parse_event(R"({"title":"x","time":"-10s","until":"now"})", kNow);
  ASSERT_TRUE(relative) << relative.error().message;
  EXPECT_EQ(relative->time, Timestamp(Duration(1'699'999'990'000)));
}

TEST(EventTest, SaysWhatIsWrongWithARequest) {
  struct Case {
    std::string body;
    std::string_view why;
  };
  const std::string long_tag(kEventTagBytesMax + 1, 'x');
  const std::vector<Case> cases = {
      {"", "the body is not JSON: "},
      {"[]", "the body is not a JSON object"},
      {R"({"title":"x"} x)", "the body is not JSON: "},
      {"{\"title\":\"\xff\"}", "the body is not JSON: "},
      {"{}", "\"title\": is missing or empty"},
      {R"({"title":1})", "\"title\": must be a text"},
      {R"({"title":")" + std::string(kEventTitleBytesMax + 1, 'x') + "\"}",
       "\"title\": has more than 200 bytes"},
      {R"({"title":"x","text":null})", "\"text\": must be a text"},
      {R"({"title":"x","time":null})", "\"time\": must be a time"},
      {R"({"title":"x","time":-1})", "\"time\": is not between 1970 and 9999"},
      {R"({"title":"x","time":1e300})", "\"time\": is not between 1970 and 9999"},
      {R"({"title":"x","time":"soon"})", "\"time\": "},
      {R"({"title":"x","time":5,"until":4})", "\"until\": is before the time"},
      {R"({"title":"x","tags":"a"})", "\"tags\": must be an array of texts"},
      {R"({"title":"x","tags":[""]})", "\"tags\": a tag is empty"},
      {R"({"title":"x","tags":[")" + long_tag + "\"]}", "\"tags\": has more than 64 bytes"},
      {R"({"title":"x","tags":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]})",
       "\"tags\": there are more than 16"},
      {R"({"title":"x","where":"a{"})", "\"where\": "},
      {R"({"title":"x","where":"{a,b,c}{d,e,f}"})", "\"where\": has more than 8 alternatives"},
      {R"({"title":"x","were":"a"})", "\"were\": there is no such key"},
  };
  for (const Case& c : cases) {
    const auto event = parse_event(c.body, kNow);
    ASSERT_FALSE(event) << c.body;
    EXPECT_EQ(event.error().code, ErrorCode::kInvalid);
    EXPECT_EQ(event.error().message.substr(0, c.why.size()), c.why);
  }
}

}  // namespace
}  // namespace statmill
