// What queries tell about series: from when to when they have samples, and how near their percentiles are.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "proto/istatd/parser.h"
#include "server/http/answer_json.h"
#include "server/http/query_parameters.h"
#include "server/query/engine.h"
#include "server/table/table.h"
#include "tests/support/api_examples.h"
#include "tests/support/memory_store.h"

namespace statmill {
namespace {

Retention with_rule() {
  Retention out(*Tiers::parse("10s:10d,5m:1y,1h:6y"));
  EXPECT_TRUE(out.add_rule("debug.* 10s:1d,5m:7d,1h:7d"));
  return out;
}

class AboutTest : public testing::Test {
 protected:
  void send(std::string_view lines) {
    Batch batch;
    batch.set_sender(LineSender::http());
    parse_istatd_lines(lines, batch);
    ASSERT_EQ(table_.apply(batch, now_), batch.samples.size());
  }
  std::string ask(const std::string& target) const {
    const auto parameters = parse_query_parameters(*parse_url(target), now_);
    if (!parameters) return parameters.error().message;
    const QueryEngine engine(table_, store_, {});
    const auto answer = engine.run(parameters->request, now_);
    if (!answer) return answer.error().message;
    return *query_answer_json(*answer, parameters->stats, parameters->request.percentiles, SeriesForm::kName);
  }
  boost::json::value series(const std::string& target) const {
    return boost::json::parse(ask(target)).at("series").at(0);
  }
  boost::json::value heatmap(const std::string& target) const {
    const auto parameters = parse_heatmap_parameters(*parse_url(target), now_);
    const QueryEngine engine(table_, store_, {});
    const auto answer = engine.run(parameters->query.request, now_);
    return boost::json::parse(*heatmap_json(*answer, {}, parameters->query.stats, {}));
  }

  const Timestamp now_ = from_unix_seconds(1'700'000'021);
  Table table_{with_rule(), {}};
  mutable MemoryStore store_{table_.tiers()};
};

TEST_F(AboutTest, TheExampleIsAnsweredAsThePageSays) {
  send("cpu.idle 1690000000 5\ncpu.idle 1700000000 93.25\ncpu.idle 1700000020 91\n");
  size_t found = 0;
  for (const ApiExample& example : api_examples(STATMILL_SOURCE_TREE, {"GET /api/v1/query"})) {
    const std::string target = example.request[0].substr(std::string("GET ").size());
    if (target.find("about=true") == std::string::npos) continue;
    ++found;
    std::string answer = ask(target);
    answer.pop_back();
    EXPECT_EQ(answer, example.answer);
  }
  EXPECT_EQ(found, 1U);
}

TEST_F(AboutTest, WithoutItNothingIsTold) {
  send("cpu.idle 1700000000 93.25\n");
  const auto one = series("/api/v1/query?series=cpu.idle&from=1700000000&until=1700000010");
  for (const char* key : {"since", "last", "kept_from", "within"})
    EXPECT_FALSE(one.as_object().contains(key)) << key;
  EXPECT_EQ(ask("/api/v1/query?series=cpu.idle&about=1"), "parameter about: neither true nor false");
}

TEST_F(AboutTest, WhatIsToldIsOfTheWholeSeriesAndOfItsRule) {
  send("debug.x 1699990000 5\ndebug.x 1700000000 6\n");
  const auto one = series("/api/v1/query?series=debug.x&from=1699999000&until=1699999100&about=true");
  EXPECT_EQ(one.at("since"), 1699990000);
  EXPECT_EQ(one.at("last"), 1700000000);
  EXPECT_EQ(one.at("kept_from"), 1700000021 - 7 * 86'400);
}

TEST_F(AboutTest, ADistributionHasTheErrorOfItsPercentilesWithoutAny) {
  send("%d 1700000000 5\n%coarse 1700000000 h3 655360 120:5\n");
  EXPECT_EQ(series("/api/v1/query?series=d&from=1699999990&about=true").at("within"), 0.015625);
  EXPECT_EQ(series("/api/v1/query?series=coarse&from=1699999990&about=true").at("within"), 0.078125);
}

TEST_F(AboutTest, AHeatmapHasItOfAllItsSeries) {
  send("%d.a 1699000000 5\n%d.a 1699000100 5\n%d.b 1699500000 5\n%d.b 1700000010 5\n");
  const auto map = heatmap("/api/v1/heatmap?series=d.*&from=1699999990&about=true");
  EXPECT_EQ(map.at("since"), 1699000000);
  EXPECT_EQ(map.at("last"), 1700000010);
}

}  // namespace
}  // namespace statmill
