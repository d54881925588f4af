// GET /admin/v1/retention, as clients see it.
#include "server/admin/retention_route.h"

#include <gmock/gmock.h>

#include "tests/server/admin/retention_world.h"
#include "tests/support/api_examples.h"

namespace statmill {
namespace {

using testing::HasSubstr;

class RetentionRouteTest : public RetentionWorld {
 protected:
  HttpResponse ask(const std::string& target) {
    const OutlookSources of = sources();
    const RetentionReader read = [this](const InsteadValues& instead) -> Result<Retention> {
      instead_ = instead;
      return next_;
    };
    return Router({retention_route(of, read)})
        .answer({.method = "GET",
                 .target = target,
                 .body = {},
                 .host = "localhost",
                 .origin = {},
                 .content_encoding = {}});
  }

  Result<Retention> next_ = at_start();
  InsteadValues instead_;
};

TEST_F(RetentionRouteTest, AnswersWhatIsKept) {
  EXPECT_EQ(ask("/admin/v1/retention").body,
            "{\"dry_run\":false,\"classes\":["
            "{\"rule\":null,\"series\":0,\"tiers\":["
            "{\"step\":10,\"retention_s\":864000,\"oldest\":null,\"bytes\":0},"
            "{\"step\":300,\"retention_s\":31536000,\"oldest\":null,\"bytes\":0}]},"
            "{\"rule\":\"debug.* 10s:2d,5m:20d\",\"series\":0,\"tiers\":["
            "{\"step\":10,\"retention_s\":172800,\"oldest\":null,\"bytes\":0},"
            "{\"step\":300,\"retention_s\":1728000,\"oldest\":null,\"bytes\":0}]}]}\n");
}

TEST_F(RetentionRouteTest, TheExampleIsAnsweredAsThePageSays) {
  next_ = retention_of("10s:10d,5m:1y", {"debug.* 10s:1d,5m:20d"});
  size_t count = 0;
  for (const ApiExample& example : api_examples(STATMILL_SOURCE_TREE, {"The admin socket"})) {
    if (!example.request[0].starts_with("GET /admin/v1/retention")) continue;
    EXPECT_EQ("200 " + ask(example.request[0].substr(4)).body, example.answer + "\n");
    ++count;
  }
  EXPECT_EQ(count, 1U);
}

TEST_F(RetentionRouteTest, ADryRunAnswersWhatWouldBeDropped) {
  live({"debug.a"}, 2);
  next_ = retention_of("10s:10d,5m:1y", {"debug.* 10s:1h,5m:20d"});
  const HttpResponse answer = ask("/admin/v1/retention?dry_run=true");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_THAT(answer.body, HasSubstr("\"then_rule\":\"debug.* 10s:1h,5m:20d\",\"series\":1,"
                                     "\"affected_series\":1,\"tiers\":[{\"step\":10,\"retention_s\":172800,"
                                     "\"oldest\":" +
                                     std::to_string(kStart) + ",\"bytes\":"));
  EXPECT_THAT(answer.body, HasSubstr(",\"then_s\":3600,\"affected_series\":1,\"dropped_bytes\":"));
  EXPECT_TRUE(instead_.empty());
  EXPECT_EQ(table_.retention().rule(1), "debug.* 10s:2d,5m:20d") << "it changes nothing";
}

TEST_F(RetentionRouteTest, ParametersTakeThePlaceOfSettings) {
  EXPECT_EQ(ask("/admin/v1/retention?dry_run=true&retention=10s:1d&retention.rule=a+10s:2d&"
                "retention.rule=b+10s:3d&retention.host_seconds=0")
                .status,
            200U);
  EXPECT_EQ(instead_, (InsteadValues{{"retention", {"10s:1d"}},
                                     {"retention.host_seconds", {"0"}},
                                     {"retention.rule", {"a 10s:2d", "b 10s:3d"}}}));
}

TEST_F(RetentionRouteTest, SaysWhatIsWrong) {
  EXPECT_THAT(ask("/admin/v1/retention?retention=10s:1d").body, HasSubstr("retention needs dry_run=true"));
  EXPECT_THAT(ask("/admin/v1/retention?dry_run=yes").body, HasSubstr("dry_run must be true or false"));
  next_ = retention_of("10s:10d,5m:1y", {});
  EXPECT_EQ(ask("/admin/v1/retention?dry_run=true").status, 400U);
  next_ = Error{ErrorCode::kInvalid, "retention: no tiers"};
  EXPECT_EQ(ask("/admin/v1/retention?dry_run=true").status, 400U);
  EXPECT_THAT(ask("/admin/v1/retention?dry_run=true").body, HasSubstr("no tiers"));
}

}  // namespace
}  // namespace statmill
