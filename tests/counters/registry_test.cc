#include "statmill/registry.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace statmill {
namespace {

TEST(Registry, SameNameAndLabelsReturnTheSameInstrument) {
  Registry registry;
  Counter& counter = registry.counter("lines", "Lines.", {{"source", "tcp"}});
  counter.add();
  registry.counter("lines", "Lines.", {{"source", "tcp"}}).add(2);
  registry.counter("lines", "Lines.", {{"source", "udp"}}).add(10);
  EXPECT_EQ(counter.value(), 3u);
  EXPECT_EQ(registry.read().size(), 2u);
}

TEST(Registry, ReferencesStayValidWhenItGrows) {
  Registry registry;
  Counter& first = registry.counter("first", "");
  for (int i = 0; i < 1000; ++i) registry.counter("n" + std::to_string(i), "");
  first.add(7);
  EXPECT_EQ(registry.read().front().value(), 7);
}

TEST(Registry, ReadsInstrumentsOfOnePathTogether) {
  Registry registry;
  registry.counter("a", "", {{"k", "1"}});
  registry.gauge("b", "").set(-5);
  registry.counter("a", "", {{"k", "2"}});
  registry.gauge_fn("c", "", {}, [] { return 0.5; });
  registry.counter_fn("d", "", {}, [] { return uint64_t{8}; });
  std::vector<std::string> names;
  for (const Reading& r : registry.read()) names.emplace_back(r.path());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "a", "b", "c", "d"}));
  EXPECT_EQ(registry.read()[2].value(), -5);
  EXPECT_EQ(registry.read()[3].value(), 0.5);
  EXPECT_EQ(registry.read()[4].type, Reading::Type::kCounter);
}

TEST(Registry, FunctionsMayUseTheRegistry) {
  Registry registry;
  Counter& counter = registry.counter("a", "");
  registry.gauge_fn("b", "", {}, [&] { return static_cast<double>(registry.counter("a", "").value()); });
  counter.add(3);
  EXPECT_EQ(registry.read()[1].value(), 3);
}

TEST(Registry, ThreadsLoseNoCount) {
  Registry registry;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) {
        registry.counter("shared", "").add();
        registry.gauge("level", "").add(k % 2 == 0 ? 1 : -1);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(registry.counter("shared", "").value(), 4000u);
  EXPECT_EQ(registry.gauge("level", "").value(), 0);
}

TEST(Registry, InstrumentsJoinAndLeaveIt) {
  Registry registry;
  {
    Counter counter("by.hand", "Help.", &registry);
    counter.add(5);
    const std::vector<Reading> readings = registry.read();
    ASSERT_EQ(readings.size(), 1u);
    EXPECT_EQ(readings[0].name, "by.hand");
    EXPECT_EQ(readings[0].help, "Help.");
    EXPECT_EQ(readings[0].count, 5u);
  }
  EXPECT_TRUE(registry.read().empty());
}

TEST(Registry, MaxGaugeIsReadOnlyAfterARecord) {
  Registry registry;
  MaxGauge& longest = registry.max_gauge("longest", "");
  EXPECT_TRUE(registry.read().empty());
  longest.record(-3);
  longest.record(-7);
  EXPECT_EQ(registry.read().at(0).value(), -3);
  EXPECT_EQ(longest.value_and_reset(), -3);
  EXPECT_EQ(longest.value_and_reset(), std::nullopt);
}

TEST(Registry, GroupsAreReadAsCounters) {
  Registry registry;
  CounterGroup<2> disk({{{"disk.reads", "Reads."}, {"disk.bytes", "Bytes."}}}, &registry);
  disk.add<0>();
  disk.add<1>(4096);
  const std::vector<Reading> readings = registry.read();
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].name, "disk.reads");
  EXPECT_EQ(readings[0].count, 1u);
  EXPECT_EQ(readings[1].count, 4096u);
}

TEST(Names, TagsAreSortedAndEscaped) {
  EXPECT_EQ(name_with("a.b", {{"y", "2"}, {"x", "a;b=c d\n"}}), "a.b;x=a%3Bb=c%20d%0A;y=2");
  EXPECT_EQ(name_with("a", {{"name", "~x~"}, {"a=b!^", "100%"}, {"c", "%41"}, {"d", ""}}),
            "a;%6Eame=%7Ex~;a%3Db%21%5E=100%;c=%2541")
      << "sorted by the bytes that are written; an empty label means none";
  Reading reading;
  const std::string name = name_with("a.b", {{"yy", "2"}, {"y", "10.0.0.1:80"}});
  reading.name = name;
  EXPECT_EQ(reading.path(), "a.b");
  EXPECT_EQ(reading.tag("y"), "10.0.0.1:80");
  EXPECT_EQ(reading.tag("yy"), "2");
  EXPECT_EQ(reading.tag("yyy"), "");
}

TEST(PrometheusText, FormatsHelpTypeLabelsAndValue) {
  Registry registry;
  registry.counter("statmill.samples", "Samples\nof \\ all.", {{"source", "tcp"}, {"reason", "a\"b\\c"}})
      .add(12);
  registry.gauge("series", "Series \"now\".").set(-3);
  registry.counter("statmill.samples", "Samples\nof \\ all.", {{"source", "udp"}});
  registry.gauge_fn("9.half", "", {}, [] { return 0.5; });
  EXPECT_EQ(prometheus_text(registry.read()),
            "# HELP statmill_samples_total Samples\\nof \\\\ all.\n"
            "# TYPE statmill_samples_total counter\n"
            "statmill_samples_total{reason=\"a\\\"b\\\\c\",source=\"tcp\"} 12\n"
            "statmill_samples_total{source=\"udp\"} 0\n"
            "# HELP series Series \"now\".\n"
            "# TYPE series gauge\n"
            "series -3\n"
            "# HELP _9_half \n"
            "# TYPE _9_half gauge\n"
            "_9_half 0.5\n");
}

TEST(PrometheusText, HistogramsAreCumulativeByPowersOfTwo) {
  Registry registry;
  Histogram<>& latency = registry.histogram("latency", "L.", {{"op", "get"}});
  for (const uint64_t v : {3u, 40u, 41u, 1000u, 1023u}) latency.record(v);
  EXPECT_EQ(prometheus_text(registry.read()),
            "# HELP latency L.\n"
            "# TYPE latency histogram\n"
            "latency_bucket{op=\"get\",le=\"3\"} 1\n"
            "latency_bucket{op=\"get\",le=\"63\"} 3\n"
            "latency_bucket{op=\"get\",le=\"1023\"} 5\n"
            "latency_bucket{op=\"get\",le=\"+Inf\"} 5\n"
            "latency_sum{op=\"get\"} 2107\n"
            "latency_count{op=\"get\"} 5\n");
}

TEST(PrometheusText, NamesEndInBaseUnits) {
  struct Case {
    std::string_view name;
    double value;
    std::string_view want;
  };
  const std::vector<Case> cases = {{"wait_ns", 1500, "wait_seconds 0.0000015"},
                                   {"disk.wait_us", 20, "disk_wait_seconds 0.00002"},
                                   {"wait_ms;op=get", 2000, "wait_seconds{op=\"get\"} 2"},
                                   {"wait_s", -0.25, "wait_seconds -0.25"},
                                   {"cpu.percent", 12.3, "cpu_ratio 0.123"},
                                   {"cpu_percent", -250, "cpu_ratio -2.5"},
                                   {"wait_ns", 0, "wait_seconds 0"},
                                   {"wait_ns", 1e300, "wait_seconds 1e291"},
                                   {"wait_ns", -2.5e-7, "wait_seconds -2.5e-16"},
                                   {"wait_ns", 1.0 / 0.0, "wait_seconds +Inf"},
                                   {"memory.total", 7, "memory 7"},
                                   {"wait_s_left", 1, "wait_s_left 1"},
                                   {"ns", 1, "ns 1"}};
  for (const auto& [name, value, want] : cases) {
    Reading reading;
    reading.name = name;
    reading.level = value;
    const std::string text = prometheus_text({reading});
    EXPECT_EQ(text.substr(text.find('\n', text.find("# TYPE")) + 1), std::string(want) + "\n");
  }
}

TEST(PrometheusText, NoNameIsEmpty) {
  for (const std::string_view name : {"_total", "+total", ".total", "_s", "_", ""}) {
    Reading reading;
    reading.name = name;
    EXPECT_EQ(prometheus_text({reading}).find("# HELP  "), std::string::npos) << name;
  }
}

TEST(PrometheusText, CountersAndHistogramsAreInBaseUnits) {
  Registry registry;
  registry.counter("busy_ns", "B.").add(12'345'678'901);
  registry.counter("reads.total", "R.").add(2);
  registry.histogram("took_ns", "T.").record(1'000'000);
  EXPECT_EQ(prometheus_text(registry.read()),
            "# HELP busy_seconds_total B.\n"
            "# TYPE busy_seconds_total counter\n"
            "busy_seconds_total 12.345678901\n"
            "# HELP reads_total R.\n"
            "# TYPE reads_total counter\n"
            "reads_total 2\n"
            "# HELP took_seconds T.\n"
            "# TYPE took_seconds histogram\n"
            "took_seconds_bucket{le=\"0.001048575\"} 1\n"
            "took_seconds_bucket{le=\"+Inf\"} 1\n"
            "took_seconds_sum 0.001\n"
            "took_seconds_count 1\n");
}

RC_GTEST_PROP(PrometheusText, ScalingIsExact, (uint64_t count)) {
  Reading reading;
  reading.name = "busy_ns";
  reading.type = Reading::Type::kCounter;
  reading.count = count;
  const std::string text = prometheus_text({reading});
  const size_t value = text.rfind(' ') + 1;
  const std::string digits = text.substr(value, text.size() - 1 - value);
  const size_t point = std::min(digits.find('.'), digits.size());
  std::string decimals = point < digits.size() ? digits.substr(point + 1) : "";
  RC_ASSERT(decimals.size() <= 9U);
  decimals.resize(9, '0');
  RC_ASSERT(std::stoull(digits.substr(0, point)) == count / 1'000'000'000);
  RC_ASSERT(std::stoull(decimals) == count % 1'000'000'000);
}

TEST(PrometheusText, OneNameIsOneFamily) {
  Registry registry;
  registry.counter("a.b", "First.", {{"k", "1"}}).add(1);
  registry.gauge("c", "A level.").set(5);
  registry.counter("a_b", "Second.", {{"k", "2"}}).add(2);
  Counter counter("c", "A count.", &registry);
  counter.add(6);
  Histogram<> histogram("c", "Left out: a gauge has its name.", &registry);
  registry.gauge("d_s", "Seconds.").set(1);
  registry.gauge("d_ms", "Milliseconds.").set(10);

  EXPECT_EQ(prometheus_text(registry.read()),
            "# HELP a_b_total First.\n"
            "# TYPE a_b_total counter\n"
            "a_b_total{k=\"1\"} 1\n"
            "a_b_total{k=\"2\"} 2\n"
            "# HELP c A level.\n"
            "# TYPE c gauge\n"
            "c 5\n"
            "# HELP c_total A count.\n"
            "# TYPE c_total counter\n"
            "c_total 6\n"
            "# HELP d_seconds Seconds.\n"
            "# TYPE d_seconds gauge\n"
            "d_seconds 1\n"
            "d_seconds 0.01\n");
}

TEST(PrometheusText, IsEmptyWithoutReadings) { EXPECT_EQ(prometheus_text({}), ""); }

}  // namespace
}  // namespace statmill
