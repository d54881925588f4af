#include "server/live/live_request.h"

#include <gtest/gtest.h>

namespace statmill {
namespace {

TEST(LiveRequest, SaysWhatIsWanted) {
  const auto all =
      parse_live_request(R"({"series":["b;z=1;a=2","A b"],"stats":["count","sum","p99"],"every":5})");
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->series, (std::vector<std::string>{"b;a=2;z=1", "A%20b"})) << "as they are stored";
  EXPECT_TRUE(all->has_count);
  EXPECT_FALSE(all->has_extremes);
  ASSERT_EQ(all->percentiles.size(), 1U);
  EXPECT_EQ(all->every, Duration(std::chrono::seconds(5)));
  const auto least = parse_live_request(R"({"series":["a"]})");
  ASSERT_TRUE(least);
  EXPECT_TRUE(least->has_count && least->has_extremes);
  EXPECT_EQ(least->every, Duration(std::chrono::seconds(1)));
}

TEST(LiveRequest, OthersAreRefused) {
  struct Case {
    std::string_view body, error;
  };
  for (const Case& c :
       {Case{"", "the body is not JSON: "}, Case{"[]", "the body must be an object"},
        Case{"{}", "\"series\": missing"}, Case{R"({"series":[]})", "\"series\": must be an array of names"},
        Case{R"({"series":[1]})", "\"series\": must be an array of names"},
        Case{R"({"series":[""]})", "\"series\": must be an array of names"},
        Case{R"({"series":"a"})", "\"series\": must be an array of names"},
        Case{R"({"series":["a"],"stats":["avg"]})", "no such stat \"avg\""},
        Case{R"({"series":["a"],"stats":"sum"})", "\"stats\": must be an array of texts"},
        Case{R"({"series":["a"],"every":0})", "\"every\": must be 1 to 60 seconds"},
        Case{R"({"series":["a"],"every":1.5})", "\"every\": must be 1 to 60 seconds"},
        Case{R"({"series":["a"],"every":61})", "\"every\": must be 1 to 60 seconds"},
        Case{R"({"series":["a"],"x":1})", "\"x\": there is no such key"}}) {
    const auto got = parse_live_request(c.body);
    ASSERT_FALSE(got) << c.body;
    EXPECT_TRUE(got.error().message.starts_with(c.error)) << got.error().message;
  }
  std::string many = R"({"series":["a")";
  for (size_t i = 1; i < kLiveSeriesMax; ++i) many += ",\"a\"";
  EXPECT_TRUE(parse_live_request(many + "]}"));
  const auto over = parse_live_request(many + ",\"a\"]}");
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace statmill
