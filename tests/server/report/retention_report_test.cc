// The text of /api/v1/retention.
#include "server/report/retention_report.h"

#include <gtest/gtest.h>

#include "proto/istatd/parser.h"
#include "server/http/query_parameters.h"
#include "tests/support/api_examples.h"
#include "tests/support/times.h"

namespace statmill {
namespace {

Retention with_rules() {
  Retention out(*Tiers::parse("10s:10d,5m:1y,1h:6y"));
  EXPECT_TRUE(out.add_rule("host.debug.* 10s:1d,5m:7d"));
  EXPECT_TRUE(out.add_rule("host.* 1h:10y"));
  return out;
}

class RetentionReportTest : public testing::Test {
 protected:
  void send(std::string_view lines) {
    Batch batch;
    batch.set_sender(LineSender::http());
    parse_istatd_lines(lines, batch);
    ASSERT_EQ(table_.apply(batch, from_unix_seconds(kNow + 20)), batch.samples.size());
  }
  // Status and body, as over HTTP.
  std::string ask(const std::string& target) const {
    const Result<std::string> name = parse_series_name(*parse_url(target));
    if (!name) return "400 " + name.error().message;
    std::string text = "200 " + retention_json(table_, *name);
    text.pop_back();
    return text;
  }

  Table table_{with_rules(), {}};
};

TEST_F(RetentionReportTest, ExamplesAreAnsweredAsThePageSays) {
  send("host.debug.load 1700000000 1\nhost.debug.load 1700000010 1\n");
  const std::vector<ApiExample> all = api_examples(STATMILL_SOURCE_TREE, {"GET /api/v1/retention"});
  ASSERT_EQ(all.size(), 2U);
  for (const ApiExample& example : all)
    EXPECT_EQ(ask(example.request[0].substr(std::string("GET ").size())), example.answer);
}

TEST_F(RetentionReportTest, TheFirstRuleThatMatchesHolds) {
  EXPECT_NE(ask("/api/v1/retention?name=host.debug.x").find("\"rule\":\"host.debug.* 10s:1d,5m:7d\""),
            std::string::npos);
  EXPECT_NE(ask("/api/v1/retention?name=host.x").find("\"rule\":\"host.* 1h:10y\""), std::string::npos);
}

TEST_F(RetentionReportTest, WhatIsNoNameIsRefused) {
  for (const std::string query : {"", "?name=", "?name=;a=1", "?name=a%07b"})
    EXPECT_EQ(ask("/api/v1/retention" + query).substr(0, 19), "400 parameter name:") << query;
}

}  // namespace
}  // namespace statmill
