// The routes of Prometheus' API that read series, over series in a table.
#include "server/promql/prometheus_query_routes.h"

#include <gtest/gtest.h>

#include <string>

#include "server/promql/prometheus_json.h"
#include "tests/server/promql/promql_world.h"

namespace statmill {
namespace {

constexpr int64_t kLast_s = PromqlWorld::kNow_s;

class PrometheusQueryRoutesTest : public testing::Test {
 protected:
  PrometheusQueryRoutesTest() {
    world_.add("cpu;host=a", Kind::kGauge, Number::of(1.5), kLast_s - 60);
    world_.add("cpu;host=b", Kind::kGauge, Number::of(3), kLast_s - 60);
    world_.add("hits;host=b", Kind::kEvent, Number::of(20), kLast_s - 60);
  }
  using Parameters = std::vector<std::pair<std::string, std::string>>;

  HttpResponse ask(const std::string& path, Parameters parameters) {
    return world_.ask({"/prometheus/api/v1/" + path, std::move(parameters)}, control_);
  }
  HttpResponse instant(const std::string& query) {
    return ask("query", {{"query", query}, {"time", std::to_string(kLast_s)}});
  }
  HttpResponse range(const std::string& query, const std::string& step = "10") {
    return ask("query_range", {{"query", query},
                               {"start", std::to_string(kLast_s - 10)},
                               {"end", std::to_string(kLast_s)},
                               {"step", step}});
  }
  static std::string data(const HttpResponse& response) {
    constexpr std::string_view kHead = R"({"status":"success","data":)";
    EXPECT_EQ(response.status, 200U);
    EXPECT_TRUE(response.body.starts_with(kHead)) << response.body;
    return response.body.substr(std::min(kHead.size(), response.body.size()));
  }
  static std::string error(const HttpResponse& response) {
    constexpr std::string_view kHead = R"({"status":"error","errorType":)";
    EXPECT_TRUE(response.body.starts_with(kHead)) << response.body;
    return std::to_string(response.status) + " " +
           response.body.substr(std::min(kHead.size(), response.body.size()));
  }

  PromqlWorld world_;
  QueryControl control_;
};

const std::string kAt = std::to_string(kLast_s);
const std::string kBefore = std::to_string(kLast_s - 10);

TEST_F(PrometheusQueryRoutesTest, AVectorIsOrderedByLabelsUnlessItIsSorted) {
  EXPECT_EQ(data(instant("cpu")), R"({"resultType":"vector","result":[)"
                                  R"({"metric":{"__name__":"cpu","host":"a"},"value":[)" +
                                      kAt + R"(,"1.5"]},{"metric":{"__name__":"cpu","host":"b"},"value":[)" +
                                      kAt + ",\"3\"]}]}}\n");
  const std::string sorted = data(instant("sort_desc(cpu)"));
  EXPECT_LT(sorted.find("\"b\""), sorted.find("\"a\""));
  EXPECT_EQ(data(instant("nothing")), "{\"resultType\":\"vector\",\"result\":[]}}\n");
}

TEST_F(PrometheusQueryRoutesTest, ScalarsAndStringsAreNoLists) {
  EXPECT_EQ(data(instant("1 / 0")), R"({"resultType":"scalar","result":[)" + kAt + ",\"+Inf\"]}}\n");
  EXPECT_EQ(data(instant("'a\\n'")), R"({"resultType":"string","result":[)" + kAt + ",\"a\\u000a\"]}}\n");
}

TEST_F(PrometheusQueryRoutesTest, AMatrixHasThePointsThatThereAre) {
  EXPECT_EQ(data(range("sum(rate(hits[30s]))")),
            R"({"resultType":"matrix","result":[{"metric":{},"values":[[)" + kBefore + ",\"2\"],[" + kAt +
                ",\"2\"]]}]}}\n");
  EXPECT_EQ(data(range("time() > bool 0")), R"({"resultType":"matrix","result":[{"metric":{},"values":[[)" +
                                                kBefore + ",\"1\"],[" + kAt + ",\"1\"]]}]}}\n");
  EXPECT_EQ(data(range("cpu{host='a'} unless on() vector(time()) == " + kAt)),
            R"({"resultType":"matrix","result":[{"metric":{"__name__":"cpu","host":"a"},"values":[[)" +
                kBefore + ",\"1.5\"]]}]}}\n");
}

TEST_F(PrometheusQueryRoutesTest, ARangeVectorHasTheSlotsThatBeginInItsWindow) {
  const auto at = [](int64_t back_s) { return std::to_string(kLast_s - back_s); };
  const auto one = [](const std::string& labels, const std::string& samples) {
    return R"({"resultType":"matrix","result":[{"metric":)" + labels + R"(,"values":[)" + samples + "]}]}}\n";
  };
  const std::string cpu = R"({"__name__":"cpu","host":"a"})";
  const std::string two = "[" + at(20) + ",\"1.5\"],[" + at(10) + ",\"1.5\"]";
  EXPECT_EQ(data(instant("cpu{host='a'}[20s]")), one(cpu, two));
  EXPECT_EQ(data(instant("(cpu{host='a'}[20s])")), one(cpu, two));
  EXPECT_EQ(data(instant("cpu{host='a'}[10s] offset 1m")), "{\"resultType\":\"matrix\",\"result\":[]}}\n");
  EXPECT_EQ(data(instant("cpu{host='a'}[20s] offset 50s")), one(cpu, "[" + at(60) + ",\"1.5\"]"));
  EXPECT_EQ(data(instant("cpu{host='a'}[10s] @ " + at(30))), one(cpu, "[" + at(40) + ",\"1.5\"]"));
  EXPECT_EQ(data(instant("cpu{host='a'}[10s] @ end()")), one(cpu, "[" + at(10) + ",\"1.5\"]"));
  EXPECT_EQ(data(instant("hits[20s]")),
            one(R"({"__name__":"hits","host":"b"})", "[" + at(20) + ",\"100\"],[" + at(10) + ",\"120\"]"));
  EXPECT_EQ(data(ask("query", {{"query", "cpu{host='a'}[20s]"}, {"time", at(5)}})),
            one(cpu, "[" + at(20) + ",\"1.5\"],[" + at(10) + ",\"1.5\"]"));
  EXPECT_EQ(data(instant("nothing[5m]")), "{\"resultType\":\"matrix\",\"result\":[]}}\n");
}

TEST_F(PrometheusQueryRoutesTest, ASubqueryHasTheValuesAtItsSteps) {
  const auto at = [](int64_t back_s) { return std::to_string(kLast_s - back_s); };
  EXPECT_EQ(data(instant("sum(cpu)[40s:20s]")),
            R"({"resultType":"matrix","result":[{"metric":{},"values":[[)" + at(20) + ",\"4.5\"],[" + at(0) +
                ",\"4.5\"]]}]}}\n");
  EXPECT_EQ(data(instant("cpu[1s:1m] offset 30s")), "{\"resultType\":\"matrix\",\"result\":[]}}\n");
}

TEST_F(PrometheusQueryRoutesTest, ALongRangeVectorHasTheSlotsOfACoarserTier) {
  // Slots of 10 s are kept for an hour.
  world_.add("old", Kind::kGauge, Number::of(2), kLast_s - 600);
  EXPECT_EQ(data(instant("old[2h]")),
            R"({"resultType":"matrix","result":[{"metric":{"__name__":"old"},"values":[[)" +
                std::to_string(kLast_s - 600) + ",\"2\"],[" + std::to_string(kLast_s - 300) +
                R"(,"2"]]}]},"infos":["means of 5m stand for samples"]})" + "\n");
}

TEST_F(PrometheusQueryRoutesTest, TheLookbackIsThatOfTheRequest) {
  const std::string later = std::to_string(kLast_s + 120);
  EXPECT_NE(data(ask("query", {{"query", "cpu"}, {"time", later}})).find("\"1.5\""), std::string::npos);
  EXPECT_EQ(data(ask("query", {{"query", "cpu"}, {"time", later}, {"lookback_delta", "1m"}})).find("\"1.5\""),
            std::string::npos);
}

TEST_F(PrometheusQueryRoutesTest, WrongQueriesAreBadData) {
  EXPECT_EQ(error(instant("sum(")),
            "400 \"bad_data\",\"error\":\"invalid parameter \\\"query\\\": 1:5: parse error: unclosed left "
            "parenthesis\"}\n");
  EXPECT_TRUE(error(ask("query", {})).starts_with("400 \"bad_data\""));
  EXPECT_TRUE(error(range("'a'"))
                  .starts_with("400 \"bad_data\",\"error\":\"invalid parameter \\\"query\\\": "
                               "invalid expression type \\\"string\\\" for range query"));
  EXPECT_EQ(error(range("cpu[5m]")),
            "400 \"bad_data\",\"error\":\"invalid parameter \\\"query\\\": invalid expression type \\\"range "
            "vector\\\" for range query, must be Scalar or instant Vector\"}\n");
  EXPECT_TRUE(
      error(range("cpu", "0")).starts_with("400 \"bad_data\",\"error\":\"invalid parameter \\\"step\\\""));
  EXPECT_TRUE(error(ask("query", {{"query", "1"}, {"timeout", "0"}}))
                  .starts_with("400 \"bad_data\",\"error\":\"invalid parameter \\\"timeout\\\""));
  EXPECT_TRUE(error(ask("query", {{"query", "1"}, {"time", "x"}})).starts_with("400 \"bad_data\""));
  EXPECT_TRUE(error(ask("query", {{"query", "1"}, {"lookback_delta", "x"}})).starts_with("400 \"bad_data\""));
}

TEST_F(PrometheusQueryRoutesTest, WhatIsNotComputedIsAnErrorOfTheExecution) {
  EXPECT_TRUE(error(instant("info(cpu)")).starts_with("422 \"execution\",\"error\":\"info: "));
  EXPECT_TRUE(error(instant("(info(cpu))[5m:]")).starts_with("422 \"execution\",\"error\":\"info: "));
  EXPECT_TRUE(error(instant("cpu + on() cpu")).starts_with("422 \"execution\""));
  EXPECT_TRUE(error(range("topk(NaN, cpu)")).starts_with("422 \"execution\""));
}

TEST_F(PrometheusQueryRoutesTest, LimitsAndStopsHaveTheirErrors) {
  const Ask query{"/prometheus/api/v1/query", {{"query", "cpu"}}};
  QueryLimits limits;
  limits.memory_bytes_max = 300;
  QueryControl little(limits);
  const std::string refused = error(world_.ask(query, little));
  EXPECT_TRUE(refused.starts_with("422 \"execution\",\"error\":\"the query needs ")) << refused;
  EXPECT_NE(refused.find("bytes of memory, over the limit of 300 (--query.memory)"), std::string::npos)
      << refused;
  QueryMemory none(10);
  QueryControl with_others({}, &none);
  EXPECT_TRUE(error(world_.ask(query, with_others)).starts_with("503 \"unavailable\""));
  QueryControl stopped;
  stopped.stop(QueryStop::kTimeout);
  EXPECT_TRUE(error(world_.ask(query, stopped)).starts_with("503 \"timeout\""));
  QueryControl canceled;
  canceled.stop(QueryStop::kAdmin);
  EXPECT_TRUE(error(world_.ask(query, canceled)).starts_with("503 \"canceled\""));
}

TEST_F(PrometheusQueryRoutesTest, ARequestMayLowerItsTimeout) {
  ManualClock clock;
  QueryControl control({}, nullptr, &clock);
  control.begin();
  world_.ask({"/prometheus/api/v1/query", {{"query", "1"}, {"timeout", "2s"}}}, control);
  clock.advance(std::chrono::seconds(2));
  EXPECT_TRUE(control.should_stop());
}

TEST_F(PrometheusQueryRoutesTest, TheCatalogListsSeriesLabelsAndValues) {
  EXPECT_EQ(data(ask("series", {{"match[]", "{host='b'}"}})),
            R"([{"__name__":"cpu","host":"b"},{"__name__":"hits","host":"b"}]})"
            "\n");
  EXPECT_EQ(data(ask("labels", {})), "[\"__name__\",\"host\"]}\n");
  EXPECT_EQ(data(ask("labels", {{"match[]", "nothing"}})), "[]}\n");
  EXPECT_EQ(data(world_.ask({"/prometheus/api/v1/label/host/values", {}})), "[\"a\",\"b\"]}\n");
  EXPECT_EQ(data(world_.ask({"/prometheus/api/v1/label/host/values", {{"match[]", "hits"}, {"limit", "5"}}})),
            "[\"b\"]}\n");
  for (const std::string path : {"labels", "label/host/values"}) {
    EXPECT_EQ(data(ask(path, {{"end", "1000"}})), "[]}\n") << path;
    EXPECT_NE(data(ask(path, {{"start", "1000"}})), "[]}\n") << path;
  }
  EXPECT_EQ(error(ask("series", {})), "400 \"bad_data\",\"error\":\"no match[] parameter provided\"}\n");
  EXPECT_TRUE(error(ask("series", {{"match[]", "sum(x)"}})).starts_with("400 \"bad_data\""));
  EXPECT_TRUE(error(ask("labels", {{"match[]", "{"}})).starts_with("400 \"bad_data\""));
}

TEST_F(PrometheusQueryRoutesTest, PartsOfPathsHaveValues) {
  world_.add("host.web1.load", Kind::kGauge, Number::of(1), kLast_s - 10);
  world_.add("host.web2.load", Kind::kGauge, Number::of(1), kLast_s - 10);
  const auto values = [&](const std::string& label, Parameters parameters) {
    return data(ask("label/" + label + "/values", std::move(parameters)));
  };
  EXPECT_EQ(values("__n000__", {}), "[\"cpu\",\"hits\",\"host\"]}\n");
  EXPECT_EQ(values("__n001__", {}), "[\"web1\",\"web2\"]}\n");
  EXPECT_EQ(values("__n001__", {{"match[]", "{__graphite__='host.*2.load'}"}}), "[\"web2\"]}\n");
  EXPECT_EQ(values("__n003__", {}), "[]}\n");
}

TEST_F(PrometheusQueryRoutesTest, EscapedNamesMeanThoseThatAreNoIdentifiers) {
  world_.add("cpu.idle;a.b=1", Kind::kGauge, Number::of(1), kLast_s - 10);
  world_.add("U__cpu_2e_idle;a.b=2", Kind::kGauge, Number::of(1), kLast_s - 10);
  const std::string one = R"({"__name__":"cpu.idle","a.b":"1"})";
  const std::string two = R"({"__name__":"U__cpu_2e_idle","a.b":"2"})";
  EXPECT_EQ(data(ask("label/U__a_2e_b/values", {})), "[\"1\",\"2\"]}\n");
  EXPECT_EQ(data(ask("label/U__a_2e_b/values", {{"match[]", "U__cpu_2e_idle{U__a_2e_b!='2'}"}})),
            "[\"1\",\"2\"]}\n");
  EXPECT_EQ(data(ask("series", {{"match[]", "{'cpu.idle'}"}})), "[" + one + "]}\n");
  EXPECT_EQ(data(ask("series", {{"match[]", "U__cpu_2e_idle"}})), "[" + two + "," + one + "]}\n");
  EXPECT_EQ(data(ask("series", {{"match[]", "{U__a_2e_b='1'}"}})), "[" + one + "]}\n");
  EXPECT_EQ(data(ask("series", {{"match[]", "{__name__!='U__cpu_2e_idle',U__a_2e_b=~'.+'}"}})),
            "[" + one + "]}\n");
}

TEST_F(PrometheusQueryRoutesTest, TheMemoryOfAListIsLimited) {
  QueryLimits limits;
  limits.memory_bytes_max = 50;
  QueryControl control(limits);
  EXPECT_TRUE(error(world_.ask({"/prometheus/api/v1/series", {{"match[]", "cpu"}}}, control))
                  .starts_with("422 \"execution\""));
}

TEST_F(PrometheusQueryRoutesTest, AllAreQueriesThatIgnoreUnknownParameters) {
  for (const Route& route : world_.routes()) {
    if (!route.path.starts_with("/prometheus/api/")) continue;
    EXPECT_EQ(route.lane, Lane::kQuery) << route.path;
    EXPECT_EQ(route.strictness, Strictness::kLenient) << route.path;
    EXPECT_EQ(route.refuse(400, "x").body, prometheus_refusal(400, "x").body) << route.path;
    EXPECT_FALSE(route.description.empty()) << route.path;
  }
}

}  // namespace
}  // namespace statmill
