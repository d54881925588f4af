// The registry of a program's own numbers, and their text for Prometheus.
#include "counters/counter.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace statmill {
namespace {

TEST(Registry, SameNameAndLabelsAreOneCell) {
  Registry registry;
  Counter& counter = registry.counter("lines_total", "Lines.", {{"source", "tcp"}});
  counter.add();
  registry.counter("lines_total", "Lines.", {{"source", "tcp"}}).add(2);
  registry.counter("lines_total", "Lines.", {{"source", "udp"}}).add(10);
  EXPECT_EQ(counter.value(), 3u);
  EXPECT_EQ(registry.read().size(), 2u);
}

TEST(Registry, ReferencesStayGoodWhenItGrows) {
  Registry registry;
  Counter& first = registry.counter("first", "");
  for (int i = 0; i < 1000; ++i) registry.counter("n" + std::to_string(i), "");
  first.add(7);
  EXPECT_EQ(registry.read().front().value, 7);
}

TEST(Registry, ReadsCellsOfOneNameTogether) {
  Registry registry;
  registry.counter("a", "", {{"k", "1"}});
  registry.gauge("b", "").set(-5);
  registry.counter("a", "", {{"k", "2"}});
  registry.gauge_fn("c", "", {}, [] { return 0.5; });
  registry.counter_fn("d", "", {}, [] { return 8.0; });
  std::vector<std::string> names;
  for (const Reading& r : registry.read()) names.emplace_back(r.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "a", "b", "c", "d"}));
  EXPECT_EQ(registry.read()[2].value, -5);
  EXPECT_EQ(registry.read()[3].value, 0.5);
  EXPECT_EQ(registry.read()[4].type, Reading::Type::kCounter);
}

TEST(Registry, FunctionsMayUseTheRegistry) {
  Registry registry;
  Counter& counter = registry.counter("a", "");
  registry.gauge_fn("b", "", {}, [&] { return static_cast<double>(registry.counter("a", "").value()); });
  counter.add(3);
  EXPECT_EQ(registry.read()[1].value, 3);
}

TEST(Registry, ThreadsLoseNothing) {
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

TEST(PrometheusText, WritesHelpTypeLabelsAndValue) {
  Registry registry;
  registry.counter("samples_total", "Samples\nof \\ all.", {{"source", "tcp"}, {"reason", "a\"b\\c\nd"}})
      .add(12);
  registry.counter("samples_total", "Samples\nof \\ all.", {{"source", "udp"}});
  registry.gauge("series", "Series \"now\".").set(-3);
  EXPECT_EQ(prometheus_text(registry.read()),
            "# HELP samples_total Samples\\nof \\\\ all.\n"
            "# TYPE samples_total counter\n"
            "samples_total{source=\"tcp\",reason=\"a\\\"b\\\\c\\nd\"} 12\n"
            "samples_total{source=\"udp\"} 0\n"
            "# HELP series Series \"now\".\n"
            "# TYPE series gauge\n"
            "series -3\n");
}

TEST(PrometheusText, NothingGivesNothing) { EXPECT_EQ(prometheus_text({}), ""); }

}  // namespace
}  // namespace statmill
