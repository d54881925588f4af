// The parts of statmill-bench that need no server: its workload, its
// report, and how it reads a server's counters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

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

TEST(Workload, IsDeterministic) {
  const WorkloadOptions options{.series = 300, .passes = 3, .connections = 2, .is_shuffled = true};
  const std::vector<Stream> a = make_workload(options);
  const std::vector<Stream> b = make_workload(options);
  ASSERT_EQ(a.size(), 2U);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(a[i].bytes, b[i].bytes);
}

TEST(Workload, SendsEverySeriesOncePerPassOnOneConnection) {
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

// Returns the line of a series in the first pass.
std::string first_line(LineDialect dialect, std::optional<int64_t> time_s, size_t series) {
  Workload workload({.dialect = dialect, .series = 20, .first_time_s = time_s});
  const std::string bytes = workload.next(1).front().bytes;
  return std::string(split(bytes, '\n').at(series));
}

TEST(Workload, WritesEachDialectWithAndWithoutTime) {
  const std::string walk = first_line(LineDialect::kIstatd, std::nullopt, 0);
  const std::string value = walk.substr(walk.find(' ') + 1);
  EXPECT_EQ(walk, series_name(0) + " " + value);
  EXPECT_NE(value.find('.'), std::string::npos);
  EXPECT_EQ(first_line(LineDialect::kIstatd, 1'700'000'000, 0), series_name(0) + " 1700000000 " + value);
  EXPECT_EQ(first_line(LineDialect::kGraphite, std::nullopt, 0), series_name(0) + " " + value + " -1");
  EXPECT_EQ(first_line(LineDialect::kGraphite, 1'700'000'000, 0),
            series_name(0) + " " + value + " 1700000000");
  EXPECT_EQ(first_line(LineDialect::kDistribution, 1'700'000'000, 0),
            "%" + series_name(0) + " 1700000000 " + value);
  EXPECT_EQ(first_line(LineDialect::kInflux, std::nullopt, 0), "servers.host00000.cpu.0 user=" + value);
  EXPECT_EQ(first_line(LineDialect::kInflux, 1'700'000'000, 0),
            "servers.host00000.cpu.0 user=" + value + " 1700000000000000000");
  EXPECT_EQ(first_line(LineDialect::kStatsd, std::nullopt, 0), series_name(0) + ":" + value + "|g");
  EXPECT_EQ(first_line(LineDialect::kStatsd, 1'700'000'000, 0),
            series_name(0) + ":" + value + "|g|T1700000000");
}

TEST(Workload, ReportsTheOffsetsOfTimesAndPasses) {
  for (const LineDialect dialect : {LineDialect::kIstatd, LineDialect::kGraphite, LineDialect::kStatsd,
                                    LineDialect::kInflux, LineDialect::kDistribution}) {
    const Stream stream =
        make_workload({.dialect = dialect, .series = 30, .passes = 2, .first_time_s = 1'700'000'000}).front();
    ASSERT_EQ(stream.time_offsets.size(), 60U);
    EXPECT_EQ(stream.bytes.substr(stream.time_offsets[0], 10), "1700000000");
    EXPECT_EQ(stream.bytes.substr(stream.time_offsets[59], 10), "1700000010");
    ASSERT_EQ(stream.pass_ends.size(), 2U);
    const std::string mark = dialect == LineDialect::kDistribution ? "%" : "";
    const std::string begin = series_name(0).substr(0, series_name(0).rfind('.'));
    EXPECT_TRUE(stream.bytes.substr(stream.pass_ends[0]).starts_with(mark + begin));
    EXPECT_EQ(stream.pass_ends[1], stream.bytes.size());
    EXPECT_TRUE(make_workload({.dialect = dialect, .series = 3, .passes = 1}).front().time_offsets.empty());
  }
}

TEST(Workload, ReportsTheValuesOfItsLines) {
  Workload workload({.series = 40});
  static_cast<void>(workload.next(3));
  const std::vector<Stream> streams = workload.next(1);
  const auto lines = fields_of(streams.front());
  ASSERT_EQ(workload.last_values().size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const double value = std::strtod(std::string(lines[i].at(1)).c_str(), nullptr);
    EXPECT_EQ(static_cast<double>(workload.last_values()[i]), std::round(value * 100)) << lines[i].at(0);
  }
}

TEST(Workload, ContinuesAfterTheLastPass) {
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
  EXPECT_LE(constant, 25U);  // the constants and the spikes that did not happen
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
  EXPECT_EQ(short_count(2'000'000), "2m");
}

TEST(FindMetric, FindsTheMetricWithTheSameNameAndLabels) {
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

constexpr std::string_view kListenerMetrics =
    "statmill_samples_received_total{listener=\"tcp\"} 12\n"
    "statmill_samples_received_total{listener=\"graphite_tcp\"} 100\n"
    "statmill_samples_accepted_total{listener=\"tcp\"} 7\n"
    "statmill_samples_refused_total{listener=\"tcp\",reason=\"bad_value\"} 2\n"
    "statmill_samples_refused_total{listener=\"tcp\",reason=\"too_old\"} 3\n"
    "statmill_samples_refused_total{listener=\"udp\",reason=\"too_old\"} 50\n"
    "statmill_udp_datagrams_dropped_total{listener=\"udp\"} 4\n"
    "statmill_samples_received_total{listener=\"udp\"} 51\n";

TEST(FindListenerCounts, AddsUpTheReasonsOfOneListener) {
  const auto tcp = find_listener_counts(kListenerMetrics, "tcp");
  ASSERT_TRUE(tcp);
  EXPECT_EQ(tcp->received, 12U);
  EXPECT_EQ(tcp->accepted, 7U);
  EXPECT_EQ(tcp->refused, 5U);
  EXPECT_TRUE(tcp->holds());
  const auto udp = find_listener_counts(kListenerMetrics, "udp");
  ASSERT_TRUE(udp);
  EXPECT_EQ(udp->dropped_datagrams, 4U);
  EXPECT_FALSE(udp->holds());
  EXPECT_FALSE(find_listener_counts(kListenerMetrics, "http"));
}

TEST(FindListenerCounts, SubtractsEarlierCounts) {
  const ListenerCounts before{10, 8, 2, 1};
  const ListenerCounts after = ListenerCounts{15, 12, 3, 4}.since(before);
  EXPECT_EQ(after.received, 5U);
  EXPECT_EQ(after.accepted, 4U);
  EXPECT_EQ(after.refused, 1U);
  EXPECT_EQ(after.dropped_datagrams, 3U);
}

TEST(ServerProcess, ReportsWhyAProgramDoesNotStart) {
  const Result<ServerProcess> missing = ServerProcess::start({.program = "/nonexistent/statmilld"});
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().message, HasSubstr("/nonexistent/statmilld"));
  const Result<ServerProcess> other = ServerProcess::start({.program = "/bin/false"});
  ASSERT_FALSE(other.has_value());
  EXPECT_THAT(other.error().message, HasSubstr("does not come up"));
}

}  // namespace
}  // namespace statmill
