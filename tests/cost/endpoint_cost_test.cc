// What a request costs over 100,000 names: within a bound of its endpoint, or it ends at its deadline,
// whatever it asks for.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/promql/promql_world.h"
#include "tests/support/cost_meter.h"

namespace statmill {
namespace {

constexpr size_t kNames = 100'000;
constexpr Duration kTimeout{200};
// A query looks at the clock between blocks of work; the rest is for building its answer, and for sanitizers.
constexpr uint64_t kCpuMax_ns = 5'000'000'000;
// All that is allocated until the deadline, not what is held at once.
constexpr uint64_t kBytesMax = uint64_t{1} << 30;

// Names of hosts and of long equal letters, which patterns with many stars cannot skip.
std::string name_of(size_t i) {
  const std::string n = std::to_string(i);
  if (i % 2 == 0) return "host.cpu.usage;host=web" + n + ";mode=m" + std::to_string(i % 7);
  return "b" + std::string(60, 'a') + n + std::string(40, 'a');
}

PromqlWorld& world() {
  static const std::unique_ptr<PromqlWorld> world = [] {
    auto made = std::make_unique<PromqlWorld>(true);
    for (size_t i = 0; i < kNames; ++i)
      made->add(name_of(i), Kind::kGauge, Number::of(1.0), PromqlWorld::kNow_s - 20,
                PromqlWorld::kNow_s - 10);
    return made;
  }();
  return *world;
}

struct EndpointCase {
  const char* name;
  Ask ask;
};

std::string stars(size_t bytes) {
  std::string out;
  while (out.size() + 3 <= bytes) out += "*a";
  return out + "*b*";
}

std::string many(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

std::vector<EndpointCase> cases() {
  using Parameters = std::vector<std::pair<std::string, std::string>>;
  const Parameters range = {{"start", "1700000000"}, {"end", "1700000100"}, {"step", "10"}};
  const auto over_range = [&range](std::string query) {
    Parameters out = range;
    out.emplace_back("query", std::move(query));
    return out;
  };
  return {
      {"SeriesAll", {"/api/v1/series", {{"match", "*"}}}},
      {"SeriesStars", {"/api/v1/series", {{"match", stars(874)}}}},
      {"SeriesBraces", {"/api/v1/series", {{"match", "*{a,b,c,d}*{a,b,c,d}*{a,b}*z"}}}},
      {"SeriesQuestions", {"/api/v1/series", {{"match", "*" + std::string(900, '?') + "*b"}}}},
      {"TreeTop", {"/api/v1/tree", {{"prefix", ""}}}},
      {"TreeDeep", {"/api/v1/tree", {{"prefix", std::string(500, 'a')}}}},
      {"SearchLetters", {"/api/v1/search", {{"q", "w e b 1 c p u"}}}},
      {"SearchLong", {"/api/v1/search", {{"q", many("a ", 100)}}}},
      {"SearchOneWord", {"/api/v1/search", {{"q", std::string(200, 'a')}}}},
      {"QueryStars", {"/api/v1/query", {{"series", stars(874)}, {"from", "-1m"}}}},
      {"QueryAll", {"/api/v1/query", {{"series", "*"}, {"from", "-1m"}}}},
      {"HeatmapStars", {"/api/v1/heatmap", {{"series", stars(874)}, {"from", "-1m"}}}},
      {"TableOfTags", {"/api/v1/table", {{"row", "tag:host"}, {"column", "host.cpu.usage:avg"}}}},
      {"ExpressionOfAll",
       {"/api/v1/query", {{"expr", "sum by (host) ({\"host.cpu.usage\"})"}, {"from", "-1m"}}}},
      {"PromqlRegex", {"/prometheus/api/v1/query", {{"query", "{__name__=~\"(a*)*b\"}"}}}},
      {"PromqlTwoRegexes",
       {"/prometheus/api/v1/query", {{"query", "{__name__=~\".*a.*a.*a.*b\",host!~\"(x+x+)+y\"}"}}}},
      {"PromqlNested", {"/prometheus/api/v1/query_range", over_range(many("-(", 30) + "1" + many(")", 30))}},
      {"PromqlSubqueries",
       {"/prometheus/api/v1/query_range",
        over_range("max_over_time(sum_over_time(host_cpu_usage[1h:1s])[1d:1s])")}},
      {"PromqlJoin",
       {"/prometheus/api/v1/query", {{"query", "{host=~\".+\"} * on(host) group_left {host=~\".+\"}"}}}},
      {"PromqlReplace",
       {"/prometheus/api/v1/query",
        {{"query", "label_replace({host=~\".+\"}, \"x\", \"$1\", \"host\", \"(.*)*(.*)*\")"}}}},
      {"PrometheusSeries", {"/prometheus/api/v1/series", {{"match[]", "{__name__=~\".*a.*b\"}"}}}},
      {"PrometheusLabels", {"/prometheus/api/v1/labels", {}}},
      {"PrometheusValues", {"/prometheus/api/v1/label/host/values", {}}},
  };
}

struct Asked {
  unsigned status = 0;
  Cost cost;
};

Asked ask(const Ask& what, Duration timeout) {
  static const SystemClock clock;
  QueryLimits limits;
  limits.timeout = timeout;
  PromqlWorld& asked = world();
  Asked out;
  out.cost = cost_of([&] {
    QueryMemory memory(limits.memory_total_bytes_max);
    QueryControl control(limits, &memory, &clock);
    control.begin();
    out.status = asked.ask(what, control).status;
  });
  return out;
}

TEST(EndpointCost, IsWithinItsBound) {
  for (const EndpointCase& one : cases()) {
    SCOPED_TRACE(one.name);
    const auto [status, cost] = ask(one.ask, kTimeout);
    std::printf("%s: %u after %.1f ms of CPU time, %.1f MB allocated\n", one.name, status,
                static_cast<double>(cost.cpu_ns) / 1e6, static_cast<double>(cost.bytes) / 1e6);
    EXPECT_TRUE(status == 200 || status == 400 || status == 404 || status == 422 || status == 503) << status;
    EXPECT_LE(cost.cpu_ns, kCpuMax_ns);
    EXPECT_LE(cost.bytes, kBytesMax);
  }
}

// However much there is to do, it ends at the deadline: here before it begins.
TEST(EndpointCost, EndsAtItsDeadline) {
  for (const EndpointCase& one : cases()) {
    SCOPED_TRACE(one.name);
    const auto [status, cost] = ask(one.ask, Duration(0));
    EXPECT_TRUE(status == 503 || status == 400) << status;
    EXPECT_LE(cost.cpu_ns, kCpuMax_ns / 5);
    EXPECT_LE(cost.bytes, kBytesMax / 64);
  }
}

}  // namespace
}  // namespace statmill
