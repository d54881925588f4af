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

TEST_F(MergedTest, ManySeriesNeedNotMuchMemory) {
  for (int i = 0; i < 200; ++i) {
    for (int64_t k = 0; k < 400; ++k)
      world_.add("many.n" + std::to_string(i), kNow - 60 + k % 6 * 10, 1 + k * 977 % 100'000,
                 Kind::kDistribution);
  }
  QueryLimits limits;
  limits.memory_bytes_max = size_t{1} << 19;
  const auto status = [&](const std::string& target) {
    return world_.ask("/render", {{"target", target}, {"from", "-1min"}, {"maxDataPoints", "100"}}, limits)
        .status;
  };
  EXPECT_EQ(status("aggregate(many.*,'p99')"), 200);
  EXPECT_EQ(status("groupByNode(many.*,0,'p99')"), 422) << "it keeps the histograms of each series";
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
  // The functions that group keep the buckets of each series; this one has them merged when it reads.
  RC_ASSERT(values_of("aggregate(part.*,'pool',0.6)") == values_of("aggregate(group(part.*),'pool',0.6)"));
  if (points != "1") RC_ASSERT(values_of("aggregate(part.*,'pool')") == values_of("all"));
}

}  // namespace
}  // namespace statmill::graphite
