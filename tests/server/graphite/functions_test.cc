// Each function by tables: targets/GROUP.txt has targets and their results.
// tests/e2e/graphite_web_e2e_test.cc compares them with those of graphite-web.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <random>
#include <set>
#include <string>

#include "server/graphite/function.h"
#include "server/graphite/target_parser.h"
#include "tests/server/graphite/target_fixture.h"

namespace statmill::graphite {
namespace {

void expect_group(const std::string& group) {
  const auto targets = expected_targets(group);
  EXPECT_FALSE(targets.empty());
  for (const ExpectedTarget& one : targets)
    EXPECT_EQ(computed(one.target), one.result) << group << ".txt:" << one.line << ": " << one.target;
}

TEST(Functions, Alias) { expect_group("alias"); }
TEST(Functions, Calculate) { expect_group("calculate"); }
TEST(Functions, Combine) { expect_group("combine"); }
TEST(Functions, Filter) { expect_group("filter"); }
TEST(Functions, Gaps) { expect_group("gaps"); }
TEST(Functions, Graph) { expect_group("graph"); }
TEST(Functions, Lists) { expect_group("lists"); }
TEST(Functions, Smooth) { expect_group("smooth"); }
TEST(Functions, Sort) { expect_group("sort"); }
TEST(Functions, Special) { expect_group("special"); }
TEST(Functions, Times) { expect_group("times"); }
TEST(Functions, Transform) { expect_group("transform"); }

TEST(Functions, EachIsInATable) {
  std::string all;
  for (const char* group : {"alias", "calculate", "combine", "filter", "gaps", "graph", "lists", "smooth",
                            "sort", "special", "times", "transform"}) {
    for (const ExpectedTarget& one : expected_targets(group)) all += " " + one.target;
  }
  for (const Function& function : functions()) {
    const std::string call = std::string(function.name) + "(";
    const bool is_called =
        all.find(" " + call) != std::string::npos || all.find("(" + call) != std::string::npos;
    EXPECT_TRUE(is_called) << function.name;
  }
}

TEST(Functions, NamesAndSignaturesAreWellFormed) {
  std::set<std::string_view> names;
  for (const Function& function : functions()) {
    EXPECT_TRUE(names.insert(function.name).second) << function.name;
    EXPECT_TRUE(function.description.ends_with('.')) << function.name;
    const auto parameters = parameters_of(function.signature);
    for (size_t i = 0; i + 1 < parameters.size(); ++i)
      EXPECT_FALSE(parameters[i].is_repeated) << function.name;
  }
  EXPECT_EQ(find_function("scale")->name, "scale");
  EXPECT_EQ(find_function("scal"), nullptr);
}

// Returns "scale(seriesList, factor)" with a star before repeated parameters.
std::string documented(const Function& function) {
  std::string out;
  for (const FunctionParameter& parameter : parameters_of(function.signature)) {
    out.append(out.empty() ? "" : ", ").append(parameter.is_repeated ? "*" : "").append(parameter.name);
    if (parameter.value) out.append("=").append(*parameter.value);
  }
  return "| `" + std::string(function.name) + "(" + out + ")` | " + std::string(function.description) + " |";
}

TEST(Functions, EachIsInTheGuide) {
  std::ifstream file(STATMILL_SOURCE_TREE "/docs/graphite.md");
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.insert(line);
  for (const Function& function : functions())
    EXPECT_TRUE(lines.contains(documented(function))) << documented(function);
}

TEST(Functions, AnUnknownOneIsNamed) {
  EXPECT_EQ(computed("sum(skale(host.a.cpu,2))"),
            "error: at 5: unknown function skale(); did you mean scale?\n");
  EXPECT_EQ(computed("pieAverage(\"x\")"), "error: at 1: unknown function pieAverage()\n");
}

// Two requests of overlapping ranges agree, and names differ.
TEST(Functions, ARandomWalkIsOfItsNameAndTheTime) {
  const auto walk = [](const std::string& name, int64_t from_s, int64_t until_s) {
    MemorySource source;
    QueryControl control;
    EvaluationOptions options = fixture_options();
    options.range = {from_s, until_s};
    options.points = 0;
    auto list = Evaluation(source, control, options).evaluate(*parse_target("randomWalk('" + name + "',60)"));
    EXPECT_TRUE(list);
    return list->front().values;
  };
  const std::vector<double> day = walk("a", 0, 86'400);
  ASSERT_EQ(day.size(), 1440U);
  const std::vector<double> hour = walk("a", 3600, 7200);
  EXPECT_EQ(hour, std::vector<double>(day.begin() + 60, day.begin() + 120));
  EXPECT_NE(hour, walk("b", 3600, 7200));
  double least = 0;
  double most = 0;
  for (size_t i = 1; i < day.size(); ++i) {
    EXPECT_LE(std::fabs(day[i] - day[i - 1]), 1) << i;
    least = std::min(least, day[i]);
    most = std::max(most, day[i]);
  }
  EXPECT_GT(most - least, 1) << "it wanders";
  EXPECT_LT(most - least, 64);
}

// Any call of any function with any arguments has a result or an error.
class RandomTargets {
 public:
  explicit RandomTargets(uint32_t seed) : random_(seed) {}

  std::string target(int depth) {
    static constexpr std::array<std::string_view, 9> kPaths = {
        "host.*.cpu", "host.a.cpu", "host.*.*",      "empty.x",
        "coarse.x",   "nothing",    "counter.total", "seriesByTag('name=disk.used')",
        "neg.x"};
    if (depth == 0 || below(3) == 0) return std::string(kPaths[below(kPaths.size())]);
    static constexpr std::array<std::string_view, 33> kValues = {
        "1",      "0",     "-1",      "3",       "1e3",        "-1e300", "9007199254740993",
        "inf",    "none",  "true",    "false",   "'1min'",     "'10s'",  "'1h'",
        "'0s'",   "'-1d'", "'1y'",    "'sum'",   "'last'",     "'p99'",  "'avg'",
        "'(.*)'", "'\\1'", "'%.cpu'", "'%d'",    "'>'",        "''",     "'now'",
        "'1030'", "0.5",   "100",     "1000000", "'sumSeries'"};
    std::string out = std::string(functions()[below(functions().size())].name) + "(" + target(depth - 1);
    if (below(3) == 0) out += "," + target(depth - 1);
    for (size_t i = below(4); i > 0; --i) out.append(",").append(kValues[below(kValues.size())]);
    return out + ")";
  }

 private:
  size_t below(size_t end) { return random_() % end; }

  std::mt19937 random_;
};

TEST(Functions, AnyCallEndsWithAResultOrAnError) {
  const uint32_t seed = std::random_device{}();
  RandomTargets targets(seed);
  size_t results = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string target = targets.target(3);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + target);
    ASSERT_NO_THROW({ results += computed(target).starts_with("error: ") ? 0U : 1U; });
  }
  EXPECT_GT(results, 300U);
  EXPECT_EQ(computed("legendValue(host.a.cpu,none)"),
            "error: at 1: legendValue(): the parameter valuesTypes is of the type string, not none\n");
}

TEST(Functions, EventsOfALongRangeAreCountedInLongerSteps) {
  EvaluationOptions options = fixture_options();
  options.range = {501, 20'500};
  EXPECT_EQ(computed("events('*')", options).substr(0, 23), "events(\"*\") 501 1: - - ");
  options.range = {501, 20'501};
  const std::string steps = computed("events('*')", options);
  EXPECT_EQ(steps.substr(0, 23), "events(\"*\") 500 2: - - ");
  EXPECT_EQ(std::ranges::count(steps, '1') - 1, 4) << "999, 1000, 1056 and 1058 to 1062";
  options.range = {0, 100LL * 365 * 86'400};
  EXPECT_NE(computed("events('*')", options).find("events(\"*\") 0 86400: 8 "), std::string::npos);
  options.range = {500, 2000};
  options.points = 10;
  EXPECT_EQ(computed("events('deploy')", options), "events(\"deploy\") 600 150: - - 4 2 - - - - - -\n");
}

TEST(Functions, WorkEndsAtTheLimits) {
  EXPECT_EQ(computed("summarize(host.a.cpu,'1s')").find("error"), std::string::npos);
  EvaluationOptions century = fixture_options();
  century.range = {0, 3'000'000'000};
  EXPECT_NE(computed("time('x',1)", century).find("error: the query needs"), std::string::npos)
      << computed("time('x',1)", century).substr(0, 200);
  std::string nested = "host.a.cpu";
  for (int i = 0; i < 40; ++i) nested = "aliasSub(" + nested + ",'(.*)','\\1\\1')";
  EXPECT_NE(computed(nested).find("a name has more than 16384 bytes"), std::string::npos);
  EXPECT_NE(
      computed("applyByNode(host.a.cpu,1,\"applyByNode(%.cpu,1,'applyByNode(%.cpu,1,%)')\")").find("error"),
      std::string::npos);
}

}  // namespace
}  // namespace statmill::graphite
