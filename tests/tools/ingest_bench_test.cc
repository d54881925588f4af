// The parts of the suite ingest that need no server: its measures, what it sends and
// when, and how it evaluates the answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "tools/statmill-bench/ingest_suite.h"
#include "tools/statmill-bench/option_values.h"
#include "tools/statmill-bench/pacer.h"
#include "tools/statmill-bench/process_meter.h"
#include "tools/statmill-bench/verify.h"

namespace statmill {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr int64_t kFirstPassS = 1'700'000'000;
constexpr size_t kOnePass = 1;  // a limit in bytes that is too small for a second pass

// Returns all text of the cursor.
std::string all_of(StreamCursor cursor, size_t bytes_max) {
  std::string out;
  for (std::string_view part = cursor.consume(bytes_max); !part.empty(); part = cursor.consume(bytes_max)) {
    EXPECT_TRUE(part.ends_with('\n'));
    out += part;
  }
  return out;
}

TEST(Replay, IsTheWorkloadItselfIfAllOfItFits) {
  const WorkloadOptions options{.series = 250, .passes = 3, .connections = 2, .first_time_s = kFirstPassS};
  Replay replay = make_replay(options, size_t{1} << 20);
  const std::vector<Stream> wanted = make_workload(options);
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(all_of({replay.streams[i], {0, 3, kFirstPassS}}, 100), wanted[i].bytes);
}

TEST(Replay, RepeatsPassesWithNewTimes) {
  for (const LineDialect dialect :
       {LineDialect::kIstatd, LineDialect::kGraphite, LineDialect::kStatsd, LineDialect::kInflux}) {
    Replay replay =
        make_replay({.dialect = dialect, .series = 20, .passes = 3, .first_time_s = kFirstPassS}, kOnePass);
    ASSERT_EQ(replay.streams.front().pass_ends.size(), 1U);
    const std::string sent = all_of({replay.streams.front(), {0, 3, kFirstPassS}}, 4096);
    std::string wanted;
    for (const int64_t pass : {0, 1, 2}) {
      wanted += make_workload({.dialect = dialect,
                               .series = 20,
                               .passes = 1,
                               .first_time_s = kFirstPassS + pass * kPassSeconds})
                    .front()
                    .bytes;
    }
    EXPECT_EQ(sent, wanted);
  }
}

TEST(Replay, CanBeSentInParts) {
  const WorkloadOptions options{.series = 20, .passes = 5, .first_time_s = kFirstPassS};
  const size_t two_passes = 20 * 64 * 2;
  Replay whole = make_replay(options, two_passes);
  ASSERT_EQ(whole.streams.front().pass_ends.size(), 2U);
  Replay parts = make_replay(options, two_passes);
  const std::string sent = all_of({whole.streams.front(), {0, 5, kFirstPassS}}, 4096);
  const std::string first = all_of({parts.streams.front(), {0, 1, kFirstPassS}}, 4096);
  EXPECT_EQ(first + all_of({parts.streams.front(), {1, 4, kFirstPassS}}, 4096), sent);
}

TEST(Replay, ReportsTheSumsOfAllThatItSends) {
  // Three of seven passes are in memory: the first is sent three times, the others twice.
  const WorkloadOptions options{.series = 40, .passes = 7};
  const Replay replay = make_replay(options, 40 * 64 * 3);
  ASSERT_EQ(replay.streams.front().pass_ends.size(), 3U);
  Workload workload(options);
  std::vector<int64_t> wanted(40);
  for (const int64_t times : {3, 2, 2}) {
    static_cast<void>(workload.next(1));
    for (size_t i = 0; i < wanted.size(); ++i) wanted[i] += workload.last_values()[i] * times;
  }
  EXPECT_EQ(replay.totals, wanted);
}

TEST(StreamCursor, ReturnsWholeLinesOfOnePass) {
  Replay replay = make_replay({.series = 10, .passes = 2}, size_t{1} << 20);
  Stream& stream = replay.streams.front();
  StreamCursor cursor(stream, {0, 2});
  EXPECT_EQ(cursor.consume(1).find('\n'), cursor.consume(1).size() - 1) << "at least a line";
  EXPECT_FALSE(cursor.is_at_pass_end());
  EXPECT_TRUE(cursor.consume(1 << 20).ends_with('\n'));
  EXPECT_TRUE(cursor.is_at_pass_end());
  EXPECT_EQ(cursor.consume(1 << 20).size(), stream.pass_ends[1] - stream.pass_ends[0]);
  EXPECT_TRUE(cursor.consume(1 << 20).empty());
}

TEST(StreamCursor, ReturnsNothingForAConnectionWithoutSeries) {
  Replay replay = make_replay({.series = 10, .passes = 3, .connections = 2}, size_t{1} << 20);
  EXPECT_EQ(all_of({replay.streams[1], {0, 3}}, 100), "");
  EXPECT_EQ(all_of({replay.streams[0], {3, 0}}, 100), "");
}

TEST(Pacer, ReportsWhenASampleIsDue) {
  const Pacer pacer(2e6);
  ASSERT_TRUE(pacer.is_pacing());
  EXPECT_EQ(pacer.due(0), milliseconds(0));
  EXPECT_EQ(pacer.due(2'000'000), milliseconds(1000));
  EXPECT_EQ(pacer.due(120'000'000), milliseconds(60'000));
  EXPECT_FALSE(Pacer(0).is_pacing());
}

TEST(Pacer, KeepsBurstsBelowFiveMilliseconds) {
  constexpr double kLineBytes = 50;
  EXPECT_LE(Pacer::kBurst, milliseconds(5));
  const Pacer pacer(1e6);
  const size_t burst = pacer.burst_bytes(kLineBytes, 1 << 30);
  EXPECT_EQ(pacer.due(static_cast<uint64_t>(static_cast<double>(burst) / kLineBytes)), Pacer::kBurst);
  EXPECT_EQ(pacer.burst_bytes(kLineBytes, 1400), 1400U);
  EXPECT_EQ(Pacer(1).burst_bytes(kLineBytes, 1400), 50U) << "at least a line";
  EXPECT_EQ(Pacer(0).burst_bytes(kLineBytes, 1400), 1400U);
}

TEST(IngestSuite, HasAMeasureForEachPathTimeAndSize) {
  std::set<std::string> wanted = {"new_series", "query_p99_ms", "stall_ms"};
  for (const std::string transport :
       {"tcp", "udp", "udp_gso", "graphite", "statsd", "influx", "distribution"}) {
    for (const std::string times : {".live", ".backfill"}) {
      for (const std::string size : {".10k", ".100k", ".1m", ".1m_random"})
        wanted.insert(transport + times + size);
    }
  }
  const std::vector<std::string> measures = ingest_measures();
  EXPECT_EQ(measures.size(), wanted.size());
  EXPECT_EQ(std::set<std::string>(measures.begin(), measures.end()), wanted);
}

TEST(IngestSuite, NamesARunAfterItsMeasure) {
  for (const std::string& measure : ingest_measures()) {
    if (measure.find('.') != std::string::npos) {
      EXPECT_EQ(run_name(ingest_measure_run(measure, {})), measure);
    }
  }
  EXPECT_EQ(run_name({.dialect = LineDialect::kStatsd, .transport = Transport::kUdpGso, .series = 200}),
            "statsd_udp_gso.live.200");
}

TEST(IngestSuite, ScalesSamplesBeforeSeries) {
  const IngestRun whole = ingest_measure_run("graphite.backfill.1m_random", {});
  EXPECT_EQ(whole.dialect, LineDialect::kGraphite);
  EXPECT_EQ(whole.series, 1'000'000U);
  EXPECT_EQ(whole.passes(), 10U);
  EXPECT_TRUE(whole.has_times);
  EXPECT_TRUE(whole.is_shuffled);
  IngestOptions options;
  options.scale = 0.1;
  EXPECT_EQ(ingest_measure_run("tcp.live.10k", options).series, 10'000U);
  EXPECT_EQ(ingest_measure_run("tcp.live.10k", options).passes(), 200U);
  EXPECT_EQ(ingest_measure_run("tcp.live.1m", options).series, 250'000U);
  EXPECT_EQ(ingest_measure_run("tcp.live.1m", options).passes(), 4U);
}

TEST(IngestSuite, SendsDatagramsAtADefaultRate) {
  EXPECT_EQ(ingest_measure_run("udp.live.10k", {}).rate, 2'000'000U);
  EXPECT_EQ(ingest_measure_run("udp_gso.live.10k", {}).rate, 2'000'000U);
  EXPECT_EQ(ingest_measure_run("tcp.live.10k", {}).rate, 0U);
  IngestOptions options;
  options.rate = 0;
  EXPECT_EQ(ingest_measure_run("udp.live.10k", options).rate, 0U);
}

TEST(IngestSuite, SelectsByWholeWords) {
  const std::vector<std::string> known = {"tcp.live.1m", "tcp.live.1m_random", "tcp.backfill.1m", "tcpx"};
  EXPECT_EQ(pick_measures(known, "tcp.live"),
            (std::vector<std::string>{"tcp.live.1m", "tcp.live.1m_random"}));
  EXPECT_EQ(pick_measures(known, "tcp.live.1m"), (std::vector<std::string>{"tcp.live.1m"}));
  EXPECT_EQ(pick_measures(known, "tcp").size(), 3U);
  EXPECT_TRUE(pick_measures(known, "").empty());
}

TEST(IngestMeasurements, CountTheSamplesThatTheServerAccepted) {
  using std::chrono::microseconds;
  IngestCosts costs;
  costs.creating = {.sent = 100, .accepted = 90, .cpu = microseconds(450)};
  costs.rest = {.sent = 1000, .accepted = 500, .elapsed = microseconds(1000), .cpu = microseconds(250)};
  const std::vector<Measurement> measured = ingest_measurements("udp.live.100", costs);
  ASSERT_EQ(measured.size(), 3U);
  EXPECT_EQ(measured[0].name, "ingest.udp.live.100.samples_per_s");
  EXPECT_DOUBLE_EQ(measured[0].value, 500e3);
  EXPECT_EQ(measured[1].name, "ingest.udp.live.100.cpu_us_per_sample");
  EXPECT_DOUBLE_EQ(measured[1].value, 0.5);
  EXPECT_EQ(measured[2].name, "ingest.udp.live.100.lost");
  EXPECT_EQ(measured[2].value, 510);
  EXPECT_EQ(measured[2].n, 1100U);
}

TEST(Verification, FindsMissingDoubledAndWrongSamples) {
  EXPECT_EQ(mismatch({7, 10.5}, {7, 10.5}, false), std::nullopt);
  EXPECT_THAT(mismatch({7, 10.5}, {6, 10.5}, false).value_or(""), HasSubstr("6 samples stored of 7 sent"));
  EXPECT_THAT(mismatch({7, 10.5}, {8, 10.5}, false).value_or(""), HasSubstr("8 samples stored of 7 sent"));
  EXPECT_THAT(mismatch({7, 10.5}, {7, 10.51}, false).value_or(""), HasSubstr("add up to 10.51"));
  EXPECT_EQ(mismatch({3, 0.3}, {3, 0.1 + 0.2}, false), std::nullopt) << "rounding";
}

TEST(Verification, AllowsOnlyMissingSamplesInALossyRun) {
  EXPECT_EQ(mismatch({7, 10.5}, {6, 9}, true), std::nullopt);
  EXPECT_NE(mismatch({7, 10.5}, {8, 10.5}, true), std::nullopt);
}

TEST(Verification, AddsUpAllSlots) {
  const SeriesColumns columns{
      "a", "gauge", {{"count", {1, std::nullopt, 2}}, {"sum", {0.5, std::nullopt, 4}}}};
  EXPECT_EQ(total_of(columns).count, 3U);
  EXPECT_EQ(total_of(columns).sum, 4.5);
}

TEST(Verification, SelectsEachSeriesOnce) {
  EXPECT_EQ(pick_series(3, 10, 1), (std::vector<size_t>{0, 1, 2}));
  const std::vector<size_t> picked = pick_series(1000, 100, 1);
  EXPECT_EQ(std::set<size_t>(picked.begin(), picked.end()).size(), 100U);
  EXPECT_LT(picked.back(), 1000U);
  EXPECT_NE(picked, pick_series(1000, 100, 2));
}

TEST(ProcessMeter, CountsThisProcess) {
  const ProcessMeter meter(::getpid());
  const auto before = meter.cpu_time();
  ASSERT_TRUE(before);
  for (auto now = before; *now <= *before;) {
    now = meter.cpu_time();
    ASSERT_TRUE(now);
  }
  const auto bytes = meter.resident_bytes();
  ASSERT_TRUE(bytes);
  EXPECT_GT(*bytes, 1U << 20);
}

TEST(ProcessMeter, DistinguishesRestFromWork) {
  EXPECT_TRUE(is_at_rest(milliseconds(60), milliseconds(2000)));
  EXPECT_FALSE(is_at_rest(milliseconds(61), milliseconds(2000)));
  std::jthread busy([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
    }
  });
  const auto idle = ProcessMeter(::getpid()).wait_until_idle(milliseconds(200), milliseconds(1));
  ASSERT_FALSE(idle);
  EXPECT_THAT(idle.error().message, HasSubstr("does not come to rest"));
}

constexpr pid_t kNoProcess = 5'000'000;  // the kernel uses no ids above 2^22

TEST(ProcessMeter, ReturnsNothingForAProcessThatHasEnded) {
  EXPECT_FALSE(ProcessMeter(kNoProcess).cpu_time());
}

}  // namespace
}  // namespace statmill
