// When the stored buckets are merged below functions, and how values are consolidated above them.
#include "server/graphite/evaluation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "server/graphite/target_parser.h"
#include "tests/server/graphite/target_fixture.h"

namespace statmill::graphite {
namespace {

std::string name_of(const Summary& summary) {
  for (const std::string_view name : summary_names()) {
    if (parse_summary(name) == summary) return std::string(name);
  }
  if (summary.kind == Summary::Kind::kPool) return "pool";
  return "p" + std::to_string(static_cast<int>(summary.quantile * 100));
}

// Returns what the target reads: "max/3 average/0", the summaries of buckets and how many points at most.
std::string reads_of(std::string_view target) {
  MemorySource source = MemorySource::with_series();
  QueryControl control;
  EvaluationOptions options = fixture_options();
  options.points = 3;
  const auto list = Evaluation(source, control, options).evaluate(*parse_target(target));
  if (!list) return list.error().message;
  std::string out;
  for (const FetchRequest& request : source.requests)
    out.append(out.empty() ? "" : " ")
        .append(name_of(request.read) + "/" + std::to_string(request.points))
        .append(request.group_of        ? "/merged"
                : request.keeps_buckets ? "/buckets"
                                        : "");
  return out;
}

struct Case {
  const char* target;
  const char* want;
};

TEST(Evaluation, BucketsAreMergedWhereThatIsTheSame) {
  const Case cases[] = {
      {"host.a.cpu", "average/3"},
      {"alias(host.a.cpu,'x')", "average/3"},
      {"aliasSub(scale(host.a.cpu,2), '(^.*$)', '\\1 A')", "average/3"},
      {"scale(host.a.cpu,-1)", "average/0"},
      {"scale(host.a.cpu,factor=2)", "average/3"},
      {"offset(host.a.cpu,-1)", "average/3"},
      {"consolidateBy(host.a.cpu,'max')", "max/3"},
      {"consolidateBy(host.a.cpu,'p99')", "p99/3"},
      {"consolidateBy(host.a.cpu,'stddev')", "stddev/3"},
      {"consolidateBy(host.a.cpu,'last')", "average/0"},
      {"consolidateBy(consolidateBy(host.a.cpu,'min'),'max')", "max/3"},
      {"cumulative(host.a.cpu)", "sum/3"},
      {"scale(consolidateBy(host.a.cpu,'max'),2)", "max/3"},
      {"scale(consolidateBy(host.a.cpu,'count'),2)", "count/0"},
      {"offset(cumulative(host.a.cpu),2)", "sum/0"},
      {"sumSeries(host.*.cpu)", "average/3"},
      {"sumSeries(cumulative(host.*.cpu))", "sum/3"},
      {"cumulative(sumSeries(host.*.cpu))", "sum/3"},
      {"sumSeries(consolidateBy(host.*.cpu,'max'))", "max/0"},
      {"consolidateBy(sumSeries(host.*.cpu),'max')", "average/0"},
      {"sumSeries(host.a.cpu,cumulative(host.b.cpu))", "average/0 sum/0"},
      {"maxSeries(host.*.cpu)", "average/0"},
      {"maxSeries(consolidateBy(host.*.cpu,'max'))", "max/3"},
      {"consolidateBy(maxSeries(host.*.cpu),'max')", "max/3"},
      {"minSeries(consolidateBy(host.*.cpu,'min'))", "min/3"},
      {"minSeries(consolidateBy(host.*.cpu,'max'))", "max/0"},
      {"averageSeries(host.*.cpu)", "average/3"},
      {"group(host.a.cpu,consolidateBy(host.b.cpu,'max'))", "average/3 max/3"},
      {"derivative(host.a.cpu)", "average/0"},
      {"derivative(consolidateBy(host.a.cpu,'max'))", "max/0"},
      {"consolidateBy(derivative(host.a.cpu),'max')", "average/0"},
      {"highestMax(consolidateBy(host.*.cpu,'max'),1)", "max/0"},
      {"limit(sortByName(host.*.cpu),1)", "average/3"},
      {"aggregate(host.*.cpu,'sum')", "average/0"},
      {"aggregate(host.*.cpu,'pool')", "pool/3/merged"},
      {"aggregate(host.*.cpu,func='p99')", "p99/3/merged"},
      {"groupByNode(host.*.cpu,1,'p99')", "p99/3/merged"},
      {"groupByNode(host.*.cpu,callback='p99',nodeNum=1)", "p99/3/merged"},
      {"groupByNode(alias(host.*.cpu,'x'),0,'p99')", "p99/3/buckets"},
      {"groupByNodes(host.*.cpu,'p99',1,2)", "p99/3/merged"},
      {"groupByTags(seriesByTag('name=disk.used'),'pool','dc')", "pool/3/merged"},
      {"aggregateWithWildcards(host.*.cpu,'pool',1)", "pool/3/merged"},
      {"aggregateSeriesLists(host.a.cpu,host.b.cpu,'p50')", "p50/3/buckets p50/3/buckets"},
      {"aggregate(group(alias(host.a.cpu,'x'),host.b.*),'pool')", "pool/3/buckets pool/3/buckets"},
      {"aggregate(consolidateBy(host.a.cpu,'max'),'pool')", "pool/3/buckets"},
      {"aggregate(limit(host.*.cpu,1),'pool')", "pool/3/buckets"},
      {"scale(aggregate(host.*.cpu,'pool'),2)", "pool/3/merged"},
      {"consolidateBy(aggregate(host.*.cpu,'p99'),'max')", "p99/0/merged"},
      {"derivative(aggregate(host.*.cpu,'p99'))", "p99/0/merged"},
      {"derivative(consolidateBy(host.a.cpu,'p99'))", "p99/0"},
      {"movingWindow(host.a.cpu,2,'p90')", "average/0 average/0"},
  };
  for (const Case& one : cases) EXPECT_EQ(reads_of(one.target), one.want) << one.target;
}

// Numbers have no samples: no percentile of theirs passes for one of the samples.
TEST(Evaluation, PercentilesOfWhatAFunctionHasComputedAreRefused) {
  const Case cases[] = {
      {"consolidateBy(sumSeries(host.*.cpu),'p99')",
       "at 15: sumSeries(): it returns numbers, and p99 above it is of stored histograms"},
      {"consolidateBy(scale(host.a.cpu,-1),'p99.9')",
       "at 15: scale(): it returns numbers, and p99.9 above it is of stored histograms"},
      {"aggregate(scale(host.a.cpu,2),'p50')",
       "at 11: scale(): it returns numbers, and p50 above it is of stored histograms"},
      {"groupByNode(derivative(host.*.cpu),1,'pool')",
       "at 13: derivative(): it returns numbers, and pool above it is of stored buckets"},
      {"aggregate(timeShift(host.a.cpu,'1min'),'pool')",
       "at 11: timeShift(): it returns numbers, and pool above it is of stored buckets"},
      {"consolidateBy(aggregate(host.*.cpu,'pool'),'p99')",
       "at 15: aggregate(): it returns numbers, and p99 above it is of stored histograms"},
      {"aggregate(constantLine(1),'pool')",
       "at 11: constantLine(): it returns numbers, and pool above it is of stored buckets"},
      {"movingWindow(host.a.cpu,2,'pool')",
       "at 1: movingWindow(): the parameter func is of the type aggFunc, not \"pool\""},
      {"consolidateBy(host.a.cpu,'pool')",
       "at 1: consolidateBy(): the function is sum, average, min, max, first, last, avg_zero, count, stddev "
       "or a "
       "percentile such as p99, not pool"},
      {"reduceSeries(mapSeries(host.*.*,1),'aggregateWithWildcards',2,'cpu')",
       "at 1: aggregateWithWildcards(): the parameter func is missing"},
  };
  for (const Case& one : cases) EXPECT_EQ(reads_of(one.target), one.want) << one.target;
}

TEST(Evaluation, APooledMeanIsOfAllSamplesOfAllSteps) {
  // Two values of 10 s and one of 60 s that begins with them.
  MemorySource source;
  source.stored["fine.x"].values.assign(200, 1);
  source.stored["coarse.x"] = {60, std::vector<double>(34, 15)};
  QueryControl control;
  const EvaluationOptions options = {.range = {1079, 1139}, .now_s = 2000};
  const auto list = Evaluation(source, control, options).evaluate(*parse_target("aggregate(*.x,'pool')"));
  ASSERT_TRUE(list);
  EXPECT_EQ(text_of(*list), "poolSeries(*.x) 1080 60: 3\n") << "six of 1 and one of 15";
}

TEST(Evaluation, APooledMeanHasTheNamesOfItsFunction) {
  EXPECT_EQ(computed("aggregate(host.{a,b}.cpu,'pool')"),
            "poolSeries(host.{a,b}.cpu) 1010 10: 7.75 3.75 2 4.75 4.75 4.75\n");
  EXPECT_EQ(computed("groupByNode(host.{a,b}.cpu,2,'pool')"), "cpu 1010 10: 7.75 3.75 2 4.75 4.75 4.75\n");
  EXPECT_EQ(computed("aggregate(host.{a,b}.cpu,'pool',1)"),
            "poolSeries(host.{a,b}.cpu) 1010 10: 7.75 3.75 - 4.75 4.75 4.75\n")
      << "a share of 1 needs both";
  EXPECT_EQ(computed("aggregate(nothing,'pool')"), "");
}

std::string consolidated(std::string_view target, size_t points) {
  EvaluationOptions options = fixture_options();
  options.points = points;
  return computed(target, options);
}

// The source of these tests does not merge, so all of it is done above.
TEST(Evaluation, ValuesAreConsolidatedInBandsFromTheEpochOn) {
  EXPECT_EQ(consolidated("host.a.mem", 10), "host.a.mem 1010 10: 2010 2020 2030 2040 2050 2060\n");
  EXPECT_EQ(consolidated("host.a.mem", 3), "host.a.mem 1020 20: 2025 2045 2060\n");
  EXPECT_EQ(consolidated("consolidateBy(derivative(host.a.cpu),'max')", 2),
            "consolidateBy(derivative(host.a.cpu),\"max\") 1020 30: 7 -3\n");
  EXPECT_EQ(consolidated("host.a.mem", 1), "host.a.mem 1010 60: 2035\n");
  EXPECT_EQ(consolidated("consolidateBy(derivative(host.a.mem),'last')", 1).substr(45, 20), "1010 60: 10\n");
}

TEST(Evaluation, AFactorOfTheRequestNeedsTheValues) {
  EvaluationOptions options = fixture_options();
  options.points = 3;
  options.x_files_factor = 0.9;
  EXPECT_EQ(computed("host.b.cpu", options), "host.b.cpu 1020 20: - 2 -\n");
  options.x_files_factor = std::nullopt;
  EXPECT_EQ(computed("host.b.cpu", options), "host.b.cpu 1020 20: 2.5 2 6.5\n");
}

// Bands do not move while the range does: each refresh has the same values for the same times.
RC_GTEST_PROP(Evaluation, ARefreshMovesNoBand, ()) {
  const auto points = *rc::gen::inRange<size_t>(2, 30);
  const auto length_s = *rc::gen::inRange<int64_t>(100, 1000);
  const auto until_s = *rc::gen::inRange<int64_t>(1000, 1900);
  std::map<int64_t, double> seen;
  for (int64_t shift_s = 0; shift_s < 100; shift_s += 10) {
    MemorySource source = MemorySource::with_series();
    QueryControl control;
    EvaluationOptions options = fixture_options();
    options.range = {until_s - length_s + shift_s, until_s + shift_s};
    options.points = points;
    const auto list = Evaluation(source, control, options).evaluate(*parse_target("host.a.mem"));
    RC_ASSERT(list.has_value() && list->size() == 1);
    const Series& series = list->front();
    RC_ASSERT(series.values.size() <= points && series.start_s % series.step_s == 0);
    for (size_t i = 0; i + 1 < series.values.size(); ++i) {
      const int64_t key =
          series.start_s + static_cast<int64_t>(i) * series.step_s + series.step_s * 1'000'000;
      const auto [at, is_new] = seen.try_emplace(key, series.values[i]);
      RC_ASSERT(is_new || at->second == series.values[i]);
    }
  }
}

// The least memory of a query in which the target is computed, to 1 KiB.
size_t least_memory(std::string_view target) {
  MemorySource source;
  for (int i = 0; i < 2000; ++i) source.stored["grp.n" + std::to_string(i) + ".x"] = {10, {1, 2, 3}};
  const auto tree = parse_target(target);
  EXPECT_TRUE(tree) << target;
  const auto fits = [&](size_t bytes) {
    QueryLimits limits;
    limits.memory_bytes_max = bytes;
    QueryControl control(limits);
    return Evaluation(source, control, fixture_options()).evaluate(*tree).has_value();
  };
  size_t low = 0;
  size_t high = size_t{256} << 20;
  EXPECT_TRUE(fits(high)) << target;
  while (high - low > 1024) {
    const size_t middle = (low + high) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

TEST(Evaluation, GroupsAreChargedToTheQuery) {
  const size_t plain = least_memory("grp.*.x");
  EXPECT_GE(least_memory("groupByNode(grp.*.x,1,'sum')"), plain + 2000 * 256);
  EXPECT_GE(least_memory("groupByNodes(grp.*.x,'sum',1)"), plain + 2000 * 256);
  EXPECT_GE(least_memory("asPercent(grp.*.x,None,1)"), plain + 2 * 2000 * sizeof(Series))
      << "each series is in two lists";
}

}  // namespace
}  // namespace statmill::graphite
