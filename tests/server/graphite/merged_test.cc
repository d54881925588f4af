// Percentiles and pooled means over series in a table.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "tests/server/graphite/render_world.h"

namespace statmill::graphite {
namespace {

class MergedTest : public testing::Test {
 protected:
  MergedTest() {
    world_.add_all("host.a.cpu", {1, 2, 3, 40, 5, 6});
    world_.add_all("host.b.cpu", {10, 10, 10, 10, 10, 10});
    world_.add_all("latency", {1, 2, 3, 4, 5, 6}, Kind::kDistribution);
  }
  RenderWorld world_;
};

TEST_F(MergedTest, PercentilesAreOfDistributions) {
  EXPECT_NE(
      world_.render("consolidateBy(latency,'p50')", {{"maxDataPoints", "2"}}).find("\"datapoints\":[[5"),
      std::string::npos)
      << world_.render("consolidateBy(latency,'p50')", {{"maxDataPoints", "2"}});
  EXPECT_NE(world_.render("consolidateBy(host.a.cpu,'p50')").find("400"), std::string::npos);
  EXPECT_EQ(world_.render("aggregate(host.*.cpu,'p50')").substr(0, 3), "400");
  EXPECT_NE(world_.render("aggregate(host.*.cpu,'p50')")
                .find("percentiles are of distributions only, and \\\"host.a.cpu\\\" is none"),
            std::string::npos);
}

TEST_F(MergedTest, PercentilesOfOnePointAreOfAllItsSamples) {
  const auto value = [&](const std::string& target, Parameters more) {
    more.emplace_back("maxDataPoints", "1");
    const std::string body = world_.render(target, more);
    const size_t begin = body.find("\"datapoints\":[[") + 15;
    return body.substr(begin, body.find(',', begin) - begin);
  };
  // 2 to 6: the median is in the cell of 4, whichever share of slots is asked for.
  EXPECT_EQ(value("consolidateBy(latency,'p50')", {})[0], '4');
  EXPECT_EQ(value("aggregate(latency,'p50')", {})[0], '4');
  EXPECT_EQ(value("consolidateBy(latency,'p50')", {{"xFilesFactor", "0.5"}})[0], '4');
  EXPECT_EQ(value("aggregate(group(host.a.cpu,host.b.cpu),'pool')", {}), "10.6");
}

// More series than are read from one snapshot, in two groups.
TEST_F(MergedTest, ManySeriesNeedNotMuchMemory) {
  for (int i = 0; i < 400; ++i) {
    for (int64_t k = 0; k < 200; ++k)
      world_.add("many.n" + std::to_string(i) + (i % 2 == 0 ? ".a" : ".b"), kNow - 60 + k % 6 * 10,
                 1 + (k + i) * 977 % 100'000, Kind::kDistribution);
  }
  const auto answer = [&](const std::string& target, size_t memory_bytes_max) {
    QueryLimits limits;
    limits.memory_bytes_max = memory_bytes_max;
    return world_.ask("/render", {{"target", target}, {"from", "-1min"}, {"maxDataPoints", "100"}}, limits);
  };
  for (const auto& [before, after] :
       std::vector<std::pair<std::string, std::string>>{{"aggregate(", ",'p99')"},
                                                        {"groupByNode(", ",2,'p99')"},
                                                        {"groupByNodes(", ",'p99',0,2)"},
                                                        {"aggregateWithWildcards(", ",'p99',1)"},
                                                        {"groupByTags(", ",'p99','dc')"}}) {
    const std::string tagged = before.starts_with("groupByTags") ? "seriesByTag('name=~many.*')" : "many.*.*";
    const HttpResponse merged = answer(before + tagged + after, size_t{1} << 20);
    EXPECT_EQ(merged.status, 200) << before << merged.body;
    const std::string all = before + "group(" + tagged + ")" + after;  // keeps the histograms of each series
    EXPECT_EQ(answer(all, size_t{1} << 20).status, 422) << all;
    EXPECT_EQ(merged.body, answer(all, size_t{1} << 30).body);
  }
}

// Series of two classes of retention, one of which has seconds.
RC_GTEST_PROP(Merging, GroupsThatAreMergedWhileTheyAreReadAreAsThoseOfReadSeries, ()) {
  RenderWorld world;
  const auto count = *rc::gen::inRange(1, 8);
  for (int i = 0; i < count; ++i) {
    const std::string name = std::string(*rc::gen::element("second.x", "part.x", "part.y")) + ".n" +
                             std::to_string(i) + *rc::gen::element("", ";dc=a", ";dc=b;of=a", ";of=c");
    for (const auto at_s : *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 600)))
      world.add(name, kNow - 1 - at_s, at_s * 13 % 100 + i, statmill::Kind::kDistribution);
  }
  const std::string function = *rc::gen::element("p50", "p99", "pool");
  const auto points = std::to_string(*rc::gen::inRange(1, 700));
  const std::string path = "{second,part}.*.*";
  const std::string tagged = "seriesByTag('name=~.+')";
  const auto check = [&](const std::string& before, const std::string& series, const std::string& after) {
    const auto rendered = [&](const std::string& target) {
      return world.render(target, {{"from", std::to_string(kNow - 610)}, {"maxDataPoints", points}});
    };
    RC_LOG() << before << series << after << "\n";
    const std::string want = rendered(before + "group(" + series + ")" + after);
    RC_ASSERT(want.front() == '[');
    RC_ASSERT(rendered(before + series + after) == want);
  };
  check("aggregate(", tagged, ",'" + function + "')");
  check("groupByNode(", path, ",1,'" + function + "')");
  check("groupByNodes(", path, ",'" + function + "',-2,0)");
  check("groupByNodes(", tagged, ",'" + function + "','dc','of')");
  check("aggregateWithWildcards(", path, ",'" + function + "',0,2)");
  check("groupByTags(", tagged, ",'" + function + "','dc')");
  check("groupByTags(", tagged, ",'" + function + "','name','of')");
}

// Percentiles and means of the samples of several series are those of one series that has all samples.
RC_GTEST_PROP(Merging, SeriesTogetherAreAsOneSeriesOfAllTheirSamples, ()) {
  RenderWorld world;
  const auto kind = *rc::gen::element(statmill::Kind::kDistribution, statmill::Kind::kGauge);
  const auto samples = *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, 100'000));
  world.add("all", kNow - 10, 5, kind);
  world.add("part.0", kNow - 10, 5, kind);
  for (const int64_t sample : samples) {
    const int64_t time_s = kNow - 10 - sample % 60 * 10;
    world.add("all", time_s, sample, kind);
    world.add("part." + std::to_string(sample / 60 % 4), time_s, sample, kind);
  }
  const auto points = std::to_string(*rc::gen::inRange(1, 70));
  const auto values_of = [&](const std::string& target) {
    const auto json = boost::json::parse(
        world.render(target, {{"from", std::to_string(kNow - 610)}, {"maxDataPoints", points}}));
    return boost::json::serialize(json.at(0).at("datapoints"));
  };
  if (kind == statmill::Kind::kDistribution) {
    for (const std::string name : {"p0", "p50", "p99", "p99.9", "p100"}) {
      const std::string want = values_of("consolidateBy(all,'" + name + "')");
      RC_ASSERT(values_of("aggregate(part.*,'" + name + "')") == want);
      RC_ASSERT(values_of("groupByNode(part.*,0,'" + name + "')") == want);
    }
  }
  RC_ASSERT(values_of("aggregate(part.*,'pool')") == values_of("aggregate(all,'pool')"));
  // The first is merged while it is read.
  RC_ASSERT(values_of("aggregate(part.*,'pool',0.6)") == values_of("aggregate(group(part.*),'pool',0.6)"));
  if (points != "1") RC_ASSERT(values_of("aggregate(part.*,'pool')") == values_of("all"));
}

}  // namespace
}  // namespace statmill::graphite
