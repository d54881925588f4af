// The parts of statmill-bench that need no server: its workload, its command line, its report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tools/statmill-bench/options.h"
#include "tools/statmill-bench/report.h"
#include "tools/statmill-bench/server_process.h"
#include "tools/statmill-bench/workload.h"

namespace statmill {
namespace {

using testing::HasSubstr;

std::vector<std::vector<std::string_view>> fields_of(const Stream& stream) {
  std::vector<std::vector<std::string_view>> out;
  for (const std::string_view line : split(stream.bytes, '\n')) {
    if (!line.empty()) out.push_back(split(line, ' '));
  }
  return out;
}

TEST(Workload, NamesSeriesByHostAndField) {
  EXPECT_EQ(series_name(0), "servers.host00000.cpu.0.user");
  EXPECT_EQ(series_name(4233), "servers.host00042.cpu.3.idle");
  std::set<std::string> names;
  for (size_t i = 0; i < 1000; ++i) names.insert(series_name(i));
  EXPECT_EQ(names.size(), 1000U);
}

TEST(Workload, IsTheSameEachTime) {
  const WorkloadOptions options{.series = 300, .passes = 3, .connections = 2, .is_shuffled = true};
  const std::vector<Stream> a = make_workload(options);
  const std::vector<Stream> b = make_workload(options);
  ASSERT_EQ(a.size(), 2U);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(a[i].bytes, b[i].bytes);
}

TEST(Workload, HoldsEverySeriesOncePerPassOnOneConnection) {
  for (const bool is_shuffled : {false, true}) {
    const std::vector<Stream> streams =
        make_workload({.series = 500, .passes = 4, .connections = 3, .is_shuffled = is_shuffled});
    std::map<std::string, size_t> times_seen;
    std::set<std::string> seen_elsewhere;
    for (const Stream& stream : streams) {
      const auto lines = fields_of(stream);
      EXPECT_EQ(lines.size(), stream.samples);
      std::set<std::string> here;
      for (const auto& fields : lines) {
        ASSERT_EQ(fields.size(), 2U);
        here.emplace(fields[0]);
        ++times_seen[std::string(fields[0])];
      }
      for (const std::string& name : here) EXPECT_TRUE(seen_elsewhere.insert(name).second) << name;
    }
    EXPECT_EQ(times_seen.size(), 500U);
    for (const auto& [name, times] : times_seen) EXPECT_EQ(times, 4U) << name;
  }
}

TEST(Workload, ShufflesOnlyWhenAsked) {
  const auto order = [](bool is_shuffled) {
    return make_workload({.series = 100, .passes = 1, .is_shuffled = is_shuffled}).front().bytes;
  };
  EXPECT_TRUE(order(false).starts_with(series_name(0) + " "));
  EXPECT_NE(order(true).substr(0, 200), order(false).substr(0, 200));
}

TEST(Workload, StepsTenSecondsPerPass) {
  const std::vector<Stream> streams = make_workload({.series = 2, .passes = 2, .first_time_s = 1000});
  const auto lines = fields_of(streams.front());
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].at(1), "1000");
  EXPECT_EQ(lines[1].at(1), "1000");
  EXPECT_EQ(lines[2].at(1), "1010");
  EXPECT_EQ(lines[3].at(1), "1010");
}

TEST(Workload, GoesOnWhereItWas) {
  const WorkloadOptions options{
      .series = 40, .passes = 5, .connections = 2, .is_shuffled = true, .first_time_s = 0};
  const std::vector<Stream> whole = make_workload(options);
  Workload parts(options);
  const std::vector<Stream> first = parts.next(2);
  const std::vector<Stream> rest = parts.next(3);
  for (size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(first[i].bytes + rest[i].bytes, whole[i].bytes);
    EXPECT_EQ(first[i].samples + rest[i].samples, whole[i].samples);
  }
}

TEST(Workload, MixesWalksCountersConstantsAndSpikes) {
  const std::vector<Stream> streams = make_workload({.series = 100, .passes = 20});
  std::map<std::string_view, std::set<std::string_view>> values;
  size_t with_point = 0;
  for (const auto& fields : fields_of(streams.front())) {
    values[fields[0]].insert(fields[1]);
    if (fields[1].find('.') != std::string_view::npos) ++with_point;
  }
  size_t constant = 0;
  for (const auto& [name, distinct] : values)
    if (distinct.size() == 1) ++constant;
  EXPECT_EQ(with_point, 1000U);  // 50 of 100 series
  EXPECT_GE(constant, 15U);
  EXPECT_LE(constant, 25U);  // the constants and what did not spike
}

TEST(BenchOptions, AreReadWhole) {
  const std::vector<std::string> arguments = {"ingest",
                                              "--line",
                                              "127.0.0.1:1",
                                              "--http",
                                              "http://127.0.0.1:2",
                                              "--pid",
                                              "3",
                                              "--series",
                                              "4",
                                              "--samples",
                                              "5",
                                              "--connections",
                                              "6",
                                              "--transport",
                                              "udp",
                                              "--order",
                                              "random",
                                              "--times",
                                              "step",
                                              "--json"};
  const Result<BenchOptions> options = parse_bench_options(arguments);
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->server->line.text(), "127.0.0.1:1");
  EXPECT_EQ(options->server->url, "http://127.0.0.1:2");
  EXPECT_EQ(options->server->pid, 3);
  EXPECT_EQ(options->ingest.series, 4U);
  EXPECT_EQ(options->ingest.samples, 5U);
  EXPECT_EQ(options->ingest.connections, 6U);
  EXPECT_EQ(options->ingest.transport, Transport::kUdp);
  EXPECT_TRUE(options->ingest.is_shuffled);
  EXPECT_TRUE(options->ingest.has_times);
  EXPECT_TRUE(options->is_json);
}

TEST(BenchOptions, OfStorageAreReadWhole) {
  const std::vector<std::string> arguments = {"storage",  "--only", "mix,read24h", "--scale", "0.5",
                                              "--series", "4",      "--slots",     "5",       "--ticks",
                                              "6",        "--dir",  "/a",          "--data",  "/b"};
  const Result<BenchOptions> options = parse_bench_options(arguments);
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->suite, Suite::kStorage);
  EXPECT_EQ(options->storage.only, (std::vector<std::string>{"mix", "read24h"}));
  EXPECT_EQ(options->storage.scale, 0.5);
  EXPECT_EQ(options->storage.series, 4U);
  EXPECT_EQ(options->storage.slots, 5U);
  EXPECT_EQ(options->storage.ticks, 6U);
  EXPECT_EQ(options->storage.directory, "/a");
  EXPECT_EQ(options->storage.data, "/b");
  EXPECT_FALSE(options->is_json);
}

TEST(BenchOptions, HaveDefaults) {
  const std::vector<std::string> ingest = {"ingest"};
  EXPECT_EQ(parse_bench_options(ingest)->ingest.series, 10'000U);
  const std::vector<std::string> storage = {"storage"};
  const Result<BenchOptions> options = parse_bench_options(storage);
  EXPECT_TRUE(options->storage.only.empty());
  EXPECT_EQ(options->storage.scale, 1);
  EXPECT_EQ(options->storage.series, std::nullopt);
  EXPECT_EQ(options->storage.ticks, 10U);
}

TEST(BenchOptions, HelpNamesEveryMeasure) {
  const std::vector<std::string> arguments = {"storage", "--help"};
  const Result<BenchOptions> options = parse_bench_options(arguments);
  ASSERT_TRUE(options->help.has_value());
  for (const std::string& name : storage_measures()) EXPECT_THAT(*options->help, HasSubstr(name));
}

TEST(BenchOptions, RefuseWhatMakesNoSense) {
  struct Case {
    std::vector<std::string> arguments;
    std::string_view why;
  };
  const std::vector<Case> cases = {
      {{}, "no suite is named"},
      {{"egress"}, "no suite \"egress\""},
      {{"ingest", "more"}, "too many positional options"},
      {{"ingest", "--series", "0"}, "--series: "},
      {{"ingest", "--samples", "-1"}, "--samples: "},
      {{"ingest", "--connections", "x"}, "--connections: "},
      {{"ingest", "--transport", "sctp"}, "--transport \"sctp\""},
      {{"ingest", "--order", "up"}, "--order \"up\""},
      {{"ingest", "--times", "all"}, "--times \"all\""},
      {{"ingest", "--pid", "1"}, "go together"},
      {{"ingest", "--line", "x", "--http", "http://h", "--pid", "1"}, "--line: "},
      {{"ingest", "--speed", "1"}, "unrecognised option"},
      {{"ingest", "--slots", "1"}, "unrecognised option"},
      {{"--json"}, "no suite is named"},
      {{"storage", "more"}, "too many positional options"},
      {{"storage", "--transport", "udp"}, "unrecognised option"},
      {{"storage", "--pid", "1"}, "unrecognised option"},
      {{"storage", "--only", "mix,read"}, "--only: no measure \"read\" (known: mix,multi10,"},
      {{"storage", "--only", ""}, "--only: names no measure"},
      {{"storage", "--only", "mix,"}, "--only: no measure \"\""},
      {{"storage", "--scale", "0"}, "--scale: \"0\""},
      {{"storage", "--scale", "-1"}, "--scale: \"-1\""},
      {{"storage", "--scale", "big"}, "--scale: \"big\""},
      {{"storage", "--scale", "101"}, "--scale: \"101\""},
      {{"storage", "--series", "0"}, "--series: "},
      {{"storage", "--slots", "x"}, "--slots: "},
      {{"storage", "--ticks", "0"}, "--ticks: "},
  };
  for (const Case& c : cases) {
    const Result<BenchOptions> options = parse_bench_options(c.arguments);
    ASSERT_FALSE(options.has_value()) << c.why;
    EXPECT_THAT(options.error().message, HasSubstr(c.why));
  }
}

TEST(Report, IsOneJsonObjectPerLine) {
  EXPECT_EQ(measurements_json({{"a.b", 1.5, "us", 10}, {"c", 2e6, "1/s", 3}}),
            "{\"name\":\"a.b\",\"value\":1.5,\"unit\":\"us\",\"n\":10}\n"
            "{\"name\":\"c\",\"value\":2000000,\"unit\":\"1/s\",\"n\":3}\n");
}

TEST(Report, NamesMachineAndBuildAboveTheTable) {
  const std::string text = measurements_table({{"a", 0.1234, "us", 10}});
  EXPECT_THAT(text, testing::StartsWith("machine  "));
  EXPECT_THAT(text, HasSubstr("\nbuild    "));
  EXPECT_THAT(text, HasSubstr("\na     0.123  us    10\n"));
}

TEST(Report, ShortensRoundCounts) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(200), "200");
  EXPECT_EQ(short_count(10'000), "10k");
  EXPECT_EQ(short_count(1'500'000), "1500k");
  EXPECT_EQ(short_count(2'000'000), "2M");
}

TEST(FindMetric, ReadsTheRightOne) {
  constexpr std::string_view kMetrics =
      "# TYPE statmill_samples_accepted_total counter\n"
      "statmill_samples_accepted_total{listener=\"tcp\"} 12\n"
      "statmill_samples_accepted_total{listener=\"udp\"} 3e+06\n"
      "statmill_ticks_total_more 1\n"
      "statmill_ticks_total 5\n";
  EXPECT_EQ(find_metric(kMetrics, "statmill_samples_accepted_total{listener=\"tcp\"}"), 12);
  EXPECT_EQ(find_metric(kMetrics, "statmill_samples_accepted_total{listener=\"udp\"}"), 3e6);
  EXPECT_EQ(find_metric(kMetrics, "statmill_samples_accepted_total{listener=\"http\"}"), std::nullopt);
  EXPECT_EQ(find_metric(kMetrics, "statmill_ticks_total"), 5);
}

TEST(ServerProcess, SaysWhyAProgramDoesNotComeUp) {
  const Result<ServerProcess> missing = ServerProcess::start({.program = "/nonexistent/statmilld"});
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message, HasSubstr("/nonexistent/statmilld"));
  const Result<ServerProcess> other = ServerProcess::start({.program = "/bin/false"});
  ASSERT_FALSE(other.has_value());
  EXPECT_THAT(other.error().message, HasSubstr("does not come up"));
}

}  // namespace
}  // namespace statmill
