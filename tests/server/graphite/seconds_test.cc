// /render over series whose seconds are kept.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <map>
#include <string>

#include "tests/server/graphite/render_world.h"

namespace statmill::graphite {
namespace {

using statmill::Kind;

class SecondsTest : public testing::Test {
 protected:
  SecondsTest() {
    for (int64_t i = 0; i < 600; ++i) {
      world_.add("second.load", kNow - 600 + i, i % 7);
      world_.add("second.hits", kNow - 600 + i, 2, Kind::kEvent);
      if (i % 10 == 0) world_.add("second.sparse", kNow - 600 + i, 1);
      if (i % 10 == 0) world_.add("host.load", kNow - 600 + i, 1);
    }
  }
  // The datapoints of the first series.
  boost::json::array points_of(const std::string& target, Parameters more) {
    more.emplace_back("from", "-10min");
    const auto json = boost::json::parse(world_.render(target, more));
    return json.at(0).at("datapoints").as_array();
  }
  int64_t step_of(const std::string& target, Parameters more = {{"maxDataPoints", "600"}}) {
    const boost::json::array points = points_of(target, std::move(more));
    return points.at(1).at(1).as_int64() - points.at(0).at(1).as_int64();
  }
  RenderWorld world_;
};

TEST_F(SecondsTest, AShortRangeOfManyPointsIsOfSeconds) {
  const boost::json::array points = points_of("second.load", {{"maxDataPoints", "600"}});
  ASSERT_EQ(points.size(), 600U);
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    EXPECT_EQ(points[i].at(1), kNow - 599 + static_cast<int64_t>(i));
    EXPECT_EQ(points[i].at(0).to_number<double>(), static_cast<double>((i + 1) % 7)) << i;
  }
  EXPECT_TRUE(points.back().at(0).is_null()) << "the second that has just begun";
  EXPECT_EQ(points_of("second.hits", {{"maxDataPoints", "600"}}).at(5).at(0).to_number<double>(), 2);
  EXPECT_EQ(points_of("cumulative(second.hits)", {{"maxDataPoints", "300"}}).at(5).at(0).to_number<double>(),
            4);
}

TEST_F(SecondsTest, OtherAnswersAreOfSlots) {
  EXPECT_EQ(step_of("second.load", {{"maxDataPoints", "300"}}), 2);
  EXPECT_EQ(step_of("second.load", {{"maxDataPoints", "60"}}), 10);
  EXPECT_EQ(step_of("second.load", {}), 10) << "no number of points";
  EXPECT_EQ(step_of("second.sparse"), 10) << "a sample each ten seconds";
  EXPECT_EQ(step_of("second.*"), 10) << "some of the series are sparse";
  EXPECT_EQ(step_of("host.load"), 10) << "no seconds are kept";
  EXPECT_EQ(step_of("derivative(second.load)"), 10) << "its values are per step";
  EXPECT_EQ(step_of("scale(second.load,2)"), 1);
  EXPECT_EQ(step_of("sumSeries(second.load,host.load)"), 10);
}

TEST_F(SecondsTest, SeriesOfSecondsAndOfSlotsHaveOneMean) {
  const Parameters many = {{"maxDataPoints", "600"}};
  const boost::json::array points = points_of("aggregate(*.load,'pool')", many);
  EXPECT_EQ(points, points_of("aggregate(group(host.load,second.load),'pool')", many));
  // The slot has 10 samples of second.load from number 10 on, 3 4 5 6 0 1 2 3 4 5, and one of 1.
  EXPECT_EQ(points.at(0).at(1), kNow - 590);
  EXPECT_DOUBLE_EQ(points.at(0).at(0).to_number<double>(), 34.0 / 11);
  EXPECT_EQ(step_of("aggregate(*.load,'pool')"), 10);
}

// The series of two snapshots. After some of the second one have been merged, one is found to be sparse, and
// all of these are read again as slots.
TEST_F(SecondsTest, SeriesThatAreReadAgainAreMergedOnce) {
  for (int n = 0; n < 300; ++n) {
    for (int64_t i = 0; i < 60; ++i)
      world_.add("second.many.n" + std::to_string(1000 + n), kNow - 60 + i, n * 7 + i % 3);
  }
  for (int64_t i = 0; i < 60; i += 10) world_.add("second.many.z", kNow - 60 + i, 1);
  const auto render = [&](const std::string& target) {
    return world_.render(target, {{"maxDataPoints", "60"}});
  };
  const std::string merged = render("groupByNode(second.many.*,1,'pool')");
  EXPECT_EQ(merged, render("groupByNode(group(second.many.*),1,'pool')"));
  EXPECT_TRUE(merged.starts_with("[{\"target\":\"many\"")) << merged;
}

TEST_F(SecondsTest, SumsOfSecondsAndOfSlotsAddUp) {
  const Parameters many = {{"maxDataPoints", "600"}};
  for (const std::string summary : {"sum", "max", "min"}) {
    const std::string inside = summary + "Series(consolidateBy(*.load,'" + summary + "'))";
    const std::string outside = "consolidateBy(" + summary + "Series(*.load),'" + summary + "')";
    EXPECT_EQ(points_of(outside, many), points_of(inside, many)) << summary;
  }
}

// Each value is of the samples in its band, whatever range and number of points are asked for.
RC_GTEST_PROP(Seconds, BandsAreOfTheirSamples, ()) {
  const int64_t now_s = kNow + *rc::gen::inRange<int64_t>(0, 60);
  RenderWorld world(now_s);
  const auto kind = *rc::gen::element(Kind::kGauge, Kind::kEvent, Kind::kDistribution);
  const auto seed = *rc::gen::inRange<int64_t>(1, 1000);
  std::map<int64_t, int64_t> samples;
  for (int64_t time_s = now_s - 300; time_s <= now_s; ++time_s) {
    if ((time_s + seed) * 7 % 11 < 3) continue;
    samples[time_s] = time_s * seed % 97;
    world.add("second.x", time_s, samples[time_s], kind);
  }
  const int64_t from_s =
      now_s - *rc::gen::oneOf(rc::gen::inRange<int64_t>(2, 20), rc::gen::inRange<int64_t>(2, 280));
  const int64_t until_s = *rc::gen::inRange<int64_t>(from_s + 1, now_s + 1);
  QueryControl control;
  StoredTargets source = world.targets(control);
  const auto list = source.fetch(
      {.path = "second.x",
       .text = "second.x",
       .from_s = from_s,
       .until_s = until_s,
       .points = *rc::gen::oneOf(rc::gen::inRange<size_t>(2, 20), rc::gen::inRange<size_t>(2, 400)),
       .read = {Summary::Kind::kSum}});
  RC_ASSERT(list.has_value() && list->size() == 1);
  const Series& series = list->front();
  RC_ASSERT(series.start_s % series.step_s == 0 && series.start_s > from_s);
  RC_ASSERT(series.start_s - series.step_s <= from_s);
  for (size_t i = 0; i < series.values.size(); ++i) {
    const int64_t begin_s = series.start_s + static_cast<int64_t>(i) * series.step_s;
    // The last band ends with the slot of `until`, or with its own first one.
    const int64_t end_s = std::min(begin_s + series.step_s, std::max(until_s, begin_s) / 10 * 10 + 10);
    double sum = 0;
    bool has_samples = false;
    for (auto at = samples.lower_bound(begin_s); at != samples.end() && at->first < end_s; ++at) {
      sum += static_cast<double>(at->second);
      has_samples = true;
    }
    RC_ASSERT(kind == Kind::kEvent || has_samples == !is_none(series.values[i]));
    if (has_samples || !is_none(series.values[i])) RC_ASSERT(std::abs(series.values[i] - sum) < 1e-6);
  }
}

}  // namespace
}  // namespace statmill::graphite
