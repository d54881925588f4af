// What clients of Prometheus ask about the server.
#include "server/promql/prometheus_status_routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/server/promql/promql_world.h"

namespace statmill {
namespace {

class PrometheusStatusRoutesTest : public testing::Test {
 protected:
  std::string data(const std::string& path,
                   std::vector<std::pair<std::string, std::string>> parameters = {}) {
    const HttpResponse got = world_.ask({"/prometheus/api/v1/" + path, std::move(parameters)});
    EXPECT_EQ(got.status, 200U);
    EXPECT_EQ(got.content_type, kJson);
    constexpr std::string_view kHead = R"({"status":"success","data":)";
    EXPECT_TRUE(got.body.starts_with(kHead)) << got.body;
    return got.body.substr(kHead.size(), got.body.size() - kHead.size() - 2);
  }

  PromqlWorld world_;
};

TEST_F(PrometheusStatusRoutesTest, TsdbCountsSeriesByMetricAndByLabel) {
  for (const char* name : {"cpu;host=a;mode=x", "cpu;host=b;mode=x", "%25;v=a%20b", "hits;host=a"})
    world_.add(name, Kind::kGauge, Number::of(1), PromqlWorld::kNow_s - 10);
  EXPECT_EQ(data("status/tsdb"),
            R"({"headStats":{"numSeries":4},)"
            R"("seriesCountByMetricName":[{"name":"cpu","value":2},{"name":"%","value":1},)"
            R"({"name":"hits","value":1}],)"
            R"("labelValueCountByLabelName":[{"name":"host","value":2},{"name":"mode","value":1},)"
            R"({"name":"v","value":1}],"memoryInBytesByLabelName":[],)"
            R"("seriesCountByLabelValuePair":[{"name":"host=a","value":2},{"name":"mode=x","value":2},)"
            R"({"name":"host=b","value":1},{"name":"v=a b","value":1}]})");
  EXPECT_EQ(data("status/tsdb", {{"limit", "1"}}),
            R"({"headStats":{"numSeries":4},"seriesCountByMetricName":[{"name":"cpu","value":2}],)"
            R"("labelValueCountByLabelName":[{"name":"host","value":2}],"memoryInBytesByLabelName":[],)"
            R"("seriesCountByLabelValuePair":[{"name":"host=a","value":2}]})");
  const HttpResponse bad = world_.ask({"/prometheus/api/v1/status/tsdb", {{"limit", "x"}}});
  EXPECT_EQ(bad.status, 400U);
}

TEST_F(PrometheusStatusRoutesTest, MetadataHasTypeHelpAndUnitOfMetrics) {
  EXPECT_EQ(data("metadata"), "{}");
  world_.apply(
      "$m g room.heat celsius Heat \"here\".\n$m e hits - Requests.\n$m d a%20b_ns - Waits.\n"
      "$m c hits bytes\n");
  const std::string a_b = R"("a b_ns":[{"type":"histogram","help":"Waits.","unit":"ns"}])";
  const std::string hits = R"("hits":[{"type":"counter","help":"Requests.","unit":""},)"
                           R"({"type":"counter","help":"","unit":"bytes"}])";
  const std::string heat = R"("room.heat":[{"type":"gauge","help":"Heat \"here\".","unit":"celsius"}])";
  EXPECT_EQ(data("metadata"), "{" + a_b + "," + hits + "," + heat + "}");
  EXPECT_EQ(data("metadata", {{"limit", "2"}}), "{" + a_b + "," + hits + "}");
  EXPECT_EQ(data("metadata", {{"limit", "1"}}), "{" + a_b + "}");
  EXPECT_EQ(data("metadata", {{"limit_per_metric", "1"}, {"metric", "hits"}}),
            R"({"hits":[{"type":"counter","help":"Requests.","unit":""}]})");
  for (const char* metric : {"room.heat", "U__room_2e_heat"})
    EXPECT_EQ(data("metadata", {{"metric", metric}}), "{" + heat + "}") << metric;
  EXPECT_EQ(data("metadata", {{"metric", "a b_ns"}}), "{" + a_b + "}");
  EXPECT_EQ(data("metadata", {{"metric", "none"}}), "{}");
  for (const char* parameter : {"limit", "limit_per_metric"})
    EXPECT_EQ(world_.ask({"/prometheus/api/v1/metadata", {{parameter, "x"}}}).status, 400U) << parameter;
}

TEST_F(PrometheusStatusRoutesTest, MetadataOfManyMetricsComesInPages) {
  std::string lines;
  for (int i = 0; i < 2500; ++i)
    for (const char kind : {'g', 'e'})
      lines += std::string("$m ") + kind + " m" + std::to_string(i) + " s x\n";
  world_.apply(lines);
  const std::string all = data("metadata");
  EXPECT_EQ(std::count(all.begin(), all.end(), '['), 2500);
  EXPECT_EQ(std::count(all.begin(), all.end(), '{'), 5001);
  const std::string most = data("metadata", {{"limit", "2499"}});
  EXPECT_EQ(std::count(most.begin(), most.end(), '['), 2499);
  QueryControl control;
  control.stop(QueryStop::kTimeout);
  EXPECT_EQ(world_.ask({"/prometheus/api/v1/metadata"}, control).status, 503U);
}

TEST_F(PrometheusStatusRoutesTest, TsdbEndsWithItsQuery) {
  world_.add("cpu", Kind::kGauge, Number::of(1), PromqlWorld::kNow_s - 10);
  QueryControl control;
  control.stop(QueryStop::kTimeout);
  EXPECT_EQ(world_.ask({"/prometheus/api/v1/status/tsdb"}, control).status, 503U);
}

TEST_F(PrometheusStatusRoutesTest, RuntimeAndFlagsHaveWhatTheServerHas) {
  EXPECT_EQ(data("status/runtimeinfo"), R"({"startTime":"2023-11-14T22:13:20Z","reloadConfigSuccess":true,)"
                                        R"("lastConfigTime":"2023-11-14T22:13:20Z","corruptionCount":0,)"
                                        R"("storageRetention":"10s:1h,5m:1y"})");
  EXPECT_EQ(data("status/flags"), R"({"query.lookback-delta":"5m","query.timeout":"2s",)"
                                  R"("storage.tsdb.retention.time":"1y"})");
}

TEST_F(PrometheusStatusRoutesTest, WhatThereIsNotIsEmpty) {
  EXPECT_EQ(data("targets"), R"({"activeTargets":[],"droppedTargets":[]})");
  EXPECT_TRUE(data("status/config").starts_with(R"({"yaml":"#)"));
  EXPECT_TRUE(data("status/buildinfo").starts_with(R"({"version":"2.42.0",)"));
}

}  // namespace
}  // namespace statmill
