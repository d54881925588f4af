// What clients of Prometheus ask about the server.
#include "server/promql/prometheus_status_routes.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(data("query_exemplars"), "[]");
  EXPECT_EQ(data("metadata"), "{}");
  EXPECT_EQ(data("rules"), R"({"groups":[]})");
  EXPECT_EQ(data("alerts"), R"({"alerts":[]})");
  EXPECT_EQ(data("targets"), R"({"activeTargets":[],"droppedTargets":[]})");
  EXPECT_TRUE(data("status/config").starts_with(R"({"yaml":"#)"));
  EXPECT_TRUE(data("status/buildinfo").starts_with(R"({"version":"2.42.0",)"));
}

}  // namespace
}  // namespace statmill
