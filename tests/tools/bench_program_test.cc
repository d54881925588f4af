// statmill-bench as a process: a tiny run of each suite, so that all
// keep working; its streams and exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <set>

#include "base/text.h"
#include "tests/support/certificate.h"
#include "tests/support/process.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::chrono::seconds kRunLimit{240};  // a sanitizer's build takes its time

class BenchProgram : public testing::Test {
 protected:
  // Returns the standard output of a run. Expects exit status 0 and no files left over.
  std::string run(std::vector<std::string> arguments) {
    Process bench({STATMILL_BENCH, std::move(arguments), {{"TMPDIR", scratch_.path().string()}}});
    EXPECT_EQ(bench.wait(kRunLimit), 0) << bench.standard_error();
    EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
    said_ = bench.standard_error();
    return bench.standard_output();
  }

  const TempDirectory scratch_;
  std::string said_;
};

// Returns name -> JSON object of its line.
std::map<std::string, boost::json::object> objects(std::string_view lines) {
  std::map<std::string, boost::json::object> out;
  for (const std::string_view line : split(lines, '\n')) {
    if (line.empty()) continue;
    const auto object = boost::json::parse(line).as_object();
    EXPECT_TRUE(out.emplace(std::string(object.at("name").as_string()), object).second) << line;
  }
  return out;
}

// The names of figures that readers of the suite's output rely on.
std::set<std::string> storage_names() {
  std::set<std::string> out = {"storage.rollup.cpu_us_per_bucket",
                               "storage.rollup_5m.bytes_per_bucket",
                               "storage.rollup_1h.bytes_per_bucket",
                               "storage.read24h.warm_us",
                               "storage.read24h.warm_p99_us",
                               "storage.read24h.cold_us",
                               "storage.read24h.cold_p99_us",
                               "storage.read24h.unsettled_us",
                               "storage.read24h.unsettled_p99_us",
                               "storage.read100x24h_ms",
                               "storage.read1y_avg.warm_us",
                               "storage.read1y_avg.warm_p99_us",
                               "storage.host.bytes_per_bucket",
                               "storage.ram_per_series_1m",
                               "storage.ram_per_series_1m_outside_rocksdb",
                               "storage.ram_per_idle_series_1m",
                               "storage.start_idle_1m_s",
                               "storage.recovery_100k_s",
                               "storage.recovery_1m_s",
                               "storage.start_clean_ms",
                               "storage.start_again_ms"};
  for (const char* workload : {"mix", "multi10", "latency", "events", "doubles", "seconds"}) {
    for (const char* what : {"bytes", "written", "written_log", "written_flush", "written_compaction",
                             "written_kernel", "written_full", "cpu_us", "cpu_auto_us", "cpu_generator_us"}) {
      out.insert("storage." + std::string(workload) + "." + what + "_per_bucket");
    }
  }
  for (const char* spread : {"100_s3", "100_s5", "1000_s3", "1000_s5"}) {
    for (const char* what : {"bytes", "flushed_bytes", "flush_us", "compact_us", "decode_us"})
      out.insert("storage.histograms." + std::string(spread) + "." + what + "_per_slot");
  }
  return out;
}

TEST_F(BenchProgram, StorageReportsEveryNamedFigure) {
  const TempDirectory data;
  static_cast<void>(data.write("a.csv", "timestamp,value\n2014-02-14 14:30:00,0.132\n"));
  const auto measured = objects(
      run({"storage", "--scale", "0.001", "--slots", "130", "--data", data.path().string(), "--json"}));
  std::set<std::string> names;
  for (const auto& [name, object] : measured) {
    names.insert(name);
    EXPECT_EQ(object.size(), 4U) << name;
    EXPECT_TRUE(object.at("value").is_number()) << name;
    EXPECT_FALSE(object.at("unit").as_string().empty()) << name;
    EXPECT_GT(object.at("n").to_number<uint64_t>(), 0U) << name;
  }
  EXPECT_EQ(names, storage_names());
  EXPECT_EQ(measured.at("storage.mix.bytes_per_bucket").at("n"), 20 * 130);
  EXPECT_EQ(measured.at("storage.recovery_1m_s").at("n"), 1000 * 60);
  EXPECT_THAT(said_, HasSubstr("storage: mix: 20 series x 130 slots"));
}

TEST_F(BenchProgram, StoragePrintsATableOfSelectedMeasures) {
  const std::string table = run({"storage", "--only", "events,host", "--series", "7", "--slots", "60"});
  EXPECT_THAT(table, StartsWith("machine  "));
  EXPECT_THAT(table, HasSubstr("\nstorage.events.bytes_per_bucket "));
  EXPECT_EQ(table.find("storage.mix."), std::string::npos);
  EXPECT_THAT(said_, HasSubstr("storage: events: 7 series x 60 slots"));
  EXPECT_THAT(said_, HasSubstr("storage: host: skipped"));
}

TEST_F(BenchProgram, BpfMeasuresTheCostOfTheAgent) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0) GTEST_SKIP() << "no BTF";
  Process bench({STATMILL_BENCH,
                 {"bpf", "--operations", "1000", "--runs", "1", "--idle", "1", "--json"},
                 {{"TMPDIR", scratch_.path().string()}}});
  const auto status = bench.wait(kRunLimit);
  if (status == 1 && bench.standard_error().find("built without eBPF") != std::string::npos)
    GTEST_SKIP() << "built without eBPF";
  ASSERT_EQ(status, 0) << bench.standard_error();
  const auto measured = objects(bench.standard_output());
  for (const char* name :
       {"bpf.sched.ns_per_event", "bpf.net.ns_per_event", "bpf.tcp.ns_per_event", "bpf.softirq.ns_per_event",
        "bpf.pingpong_overhead_ratio", "agent.idle_cpu_percent", "agent.rss_mb", "agent.bpf_maps_mb"}) {
    ASSERT_TRUE(measured.contains(name)) << name;
    EXPECT_GT(measured.at(name).at("n").to_number<uint64_t>(), 0U) << name;
  }
  EXPECT_EQ(measured.contains("bpf.block.ns_per_event"),
            bench.standard_error().find("bpf.block.ns_per_event: ") == std::string::npos)
      << "left out only where no disk can be read";
  EXPECT_GE(measured.at("bpf.sched.ns_per_event").at("n").to_number<uint64_t>(), 1000U);
  EXPECT_GT(measured.at("agent.rss_mb").at("value").to_number<double>(), 0.1);
}

TEST_F(BenchProgram, ExitsWithTwoForInvalidOptionsAndWithOneOnFailure) {
  Process wrong({STATMILL_BENCH, {"storage", "--only", "mixed"}, {}});
  EXPECT_EQ(wrong.wait(), 2);
  EXPECT_THAT(wrong.standard_error(), HasSubstr("no measure \"mixed\""));
  const std::string missing = scratch_.path() / "missing";
  Process failed({STATMILL_BENCH, {"storage", "--only", "mix", "--dir", missing}, {}});
  EXPECT_EQ(failed.wait(), 1);
  EXPECT_THAT(failed.standard_error(), HasSubstr("statmill-bench: mix: " + missing));
}

TEST_F(BenchProgram, IngestLosesNothing) {
  for (const std::string transport : {"tcp", "udp", "udp_gso"}) {
    const auto measured =
        objects(run({"ingest", "--series", "200", "--samples", "2000", "--transport", transport, "--json"}));
    EXPECT_EQ(measured.at("ingest." + transport + ".live.200.lost").at("value").to_number<double>(), 0);
  }
}

TEST_F(BenchProgram, IngestSendsEveryDialectLiveAndAsBackfill) {
  for (const std::string dialect : {"graphite", "statsd", "influx", "distribution"}) {
    for (const std::string times : {"none", "step"}) {
      const auto measured =
          objects(run({"ingest", "--series", "200", "--samples", "2000", "--dialect", dialect, "--times",
                       times, "--order", "random", "--connections", "2", "--json"}));
      const std::string prefix =
          "ingest." + dialect + (times == "none" ? ".live." : ".backfill.") + "200_random.";
      EXPECT_EQ(measured.at(prefix + "lost").at("value").to_number<double>(), 0);
      EXPECT_EQ(measured.at(prefix + "cpu_us_per_sample").at("n"), 1800);
    }
  }
}

TEST_F(BenchProgram, IngestSuiteRunsTheSelectedMeasures) {
  const auto measured =
      objects(run({"ingest", "--only", "udp.live.1m_random,new_series,query_p99_ms,stall_ms", "--scale",
                   "0.0002", "--json"}));
  std::set<std::string> names;
  for (const auto& [name, object] : measured) names.insert(name);
  const std::set<std::string> wanted = {"ingest.udp.live.1m_random.samples_per_s",
                                        "ingest.udp.live.1m_random.cpu_us_per_sample",
                                        "ingest.udp.live.1m_random.lost",
                                        "ingest.new_series_per_s",
                                        "ingest.cpu_us_per_new_series",
                                        "ingest.rss_per_series_1m",
                                        "ingest.query_p99_ms.idle",
                                        "ingest.query_p99_ms.under_ingest",
                                        "ingest.query_p99_ms.ratio",
                                        "ingest.query_p50_ms.idle",
                                        "ingest.query_p50_ms.under_ingest",
                                        "ingest.stall_ms.1m",
                                        "ingest.stall_ms.1k",
                                        "ingest.stalls_over_20ms.1m"};
  EXPECT_EQ(names, wanted);
  EXPECT_THAT(said_, HasSubstr("ingest: udp.live.1m_random: 500 series x 4 passes, 2000000 samples/s"));
}

TEST_F(BenchProgram, RelayMeasuresEveryPathAndLosesNothing) {
  const auto measured = objects(run({"relay", "--series", "200", "--samples", "2000", "--json"}));
  for (const std::string transport : {"", "udp_", "passed_on_", "passed_on_udp_"}) {
    EXPECT_EQ(measured.at("relay." + transport + "cpu_us_per_sample").at("n"), 2000) << transport;
    EXPECT_GT(measured.at("relay." + transport + "rss").at("value").to_number<double>(), 0) << transport;
  }
  EXPECT_THAT(said_, HasSubstr("relay: passed_on.udp: 200 series x 10 passes"));
}

TEST_F(BenchProgram, ParsersMeasuresEachDialectWithBothParsers) {
  const auto measured = objects(run({"parsers", "--lines", "50", "--runs", "1", "--json"}));
  EXPECT_EQ(measured.size(), 26U) << "InfluxDB's has one";
  for (const char* name : {"istatd.ns_per_line", "graphite.general_ns_per_line",
                           "dogstatsd_single.ns_per_line", "influx.ns_per_line"})
    EXPECT_GT(measured.at(std::string("parsers.") + name).at("value").to_number<double>(), 0) << name;
}

TEST_F(BenchProgram, SortMeasuresEachWayToSort) {
  const auto measured = objects(run({"sort", "--only", "dense_2500", "--runs", "1", "--json"}));
  EXPECT_EQ(measured.size(), 4U);
  for (const char* way : {"radix", "pdqsort", "spreadsort", "std"}) {
    const std::string name = std::string("sort.dense_2500.") + way + "_ns_per_key";
    EXPECT_GT(measured.at(name).at("value").to_number<double>(), 0) << name;
  }
}

TEST_F(BenchProgram, QueryMeasuresRightAnswers) {
  const auto measured =
      objects(run({"query", "--scale", "0.01", "--runs", "2", "--starts", "1", "--peers", "none", "--json"}));
  const std::vector<std::string> names = {"one24h.json_ms",
                                          "one24h.promql_ms",
                                          "avg100.10s.warm_ms",
                                          "avg100.10s.cold_ms",
                                          "avg100.300s.warm_cpu_ms",
                                          "avg100.300s.cold_ms",
                                          "sumrate10k_ms",
                                          "p99_100dist_p99_ms",
                                          "last1000_ms",
                                          "small_per_s",
                                          "year5m_ms",
                                          "pending24h_ms",
                                          "find1m_ms",
                                          "find1m.prefix_ms",
                                          "find1m.search_ms",
                                          "select1m_ms",
                                          "select1m.first_ms",
                                          "small_busy.idle_ms",
                                          "small_busy.idle_p99_ms",
                                          "small_busy.idle_p999_ms",
                                          "small_busy.busy_ms",
                                          "small_busy.busy_p99_ms",
                                          "small_busy.busy_p999_ms",
                                          "small_busy.p99_ratio",
                                          "small_busy.p999_ratio",
                                          "ingest_busy.alone_per_s",
                                          "ingest_busy.busy_per_s",
                                          "ingest_busy.share"};
  for (const std::string& name : names) {
    ASSERT_TRUE(measured.contains("query." + name)) << name;
    EXPECT_GT(measured.at("query." + name).at("value").to_number<double>(), 0) << name;
  }
  // A run this short may end before the first of these.
  for (const char* name : {"small_busy.heavy_per_s", "small_busy.ingest_per_s",
                           "small_busy.compactions_per_s", "ingest_busy.heavy_per_s"})
    EXPECT_TRUE(measured.contains(std::string("query.") + name)) << name;
  EXPECT_EQ(measured.at("query.small_busy.busy_p99_ms").at("n"), 4 * 2 * 5);
  EXPECT_THAT(said_, HasSubstr("query: avg100: 1 series x 8640 slots"));
}

TEST_F(BenchProgram, QueryLeavesOutPeersThatAreNotInstalled) {
  Process bench({STATMILL_BENCH,
                 {"query", "--only", "last1000", "--scale", "0.01", "--runs", "1"},
                 {{"TMPDIR", scratch_.path().string()}, {"PATH", "/nowhere"}}});
  EXPECT_EQ(bench.wait(kRunLimit), 0) << bench.standard_error();
  EXPECT_THAT(bench.standard_error(), HasSubstr("query: prometheus: skipped: prometheus is not installed"));
  EXPECT_THAT(bench.standard_output(), HasSubstr("query.last1000_ms"));
}

TEST_F(BenchProgram, RemoteMeasuresKnownAndNewSeriesAndLosesNothing) {
  Process bench({STATMILL_BENCH,
                 {"remote", "--series", "1200", "--passes", "3", "--request", "500", "--connections", "2",
                  "--rounds", "1", "--json"},
                 {{"TMPDIR", scratch_.path().string()}, {"PATH", "/nowhere"}}});
  EXPECT_EQ(bench.wait(kRunLimit), 0) << bench.standard_error();
  EXPECT_THAT(bench.standard_error(),
              HasSubstr("remote: victoria-metrics: skipped: victoria-metrics is not installed"));
  const auto measured = objects(bench.standard_output());
  for (const std::string wire : {"write", "otlp"}) {
    for (const char* figure : {"cpu_us_per_sample", "cpu_us_per_new_series", "flush_us_per_sample",
                               "rss_per_series", "value_bytes_per_series"}) {
      const std::string name = "remote." + wire + "." + figure;
      ASSERT_TRUE(measured.contains(name)) << name;
      EXPECT_GT(measured.at(name).at("value").to_number<double>(), 0) << name;
    }
    EXPECT_EQ(measured.at("remote." + wire + ".cpu_us_per_sample").at("n"), 2400);
  }
}

TEST_F(BenchProgram, AgentsMeasuresAcknowledgmentsAndTheCatchUpOfASpool) {
  const auto measured = objects(
      run({"agents", "--agents", "2", "--series", "200", "--samples", "8000", "--spool", "20000", "--json"}));
  EXPECT_EQ(measured.at("agents.server_us_per_sample").at("n"), 8000);
  for (const char* name : {"acknowledged_per_second", "ack_ms_p50", "ack_ms_p99"})
    EXPECT_GT(measured.at(std::string("agents.") + name).at("value").to_number<double>(), 0) << name;
  EXPECT_GE(measured.at("agents.spool_recovery_ms_per_gb").at("n").to_number<double>(), 20000);
}

TEST_F(BenchProgram, FleetSendsWhatThisHostDoesForEachHost) {
  const auto measured = objects(run({"fleet", "--hosts", "3", "--warmup", "1", "--seconds", "1", "--json"}));
  EXPECT_GT(measured.at("fleet.series").at("value").to_number<double>(), 3 * 100);
  EXPECT_GT(measured.at("fleet.resident_mb").at("value").to_number<double>(), 1);
}

TEST_F(BenchProgram, AgentsMeasuresTlsWithACertificate) {
  const TempDirectory directory;
  const CertificateFiles files = make_certificate(directory, "IP:127.0.0.1");
  const auto measured = objects(
      run({"agents", "--only", "throughput_tls,reconnect", "--agents", "2", "--series", "200", "--samples",
           "8000", "--reconnects", "20", "--certificate", files.certificate, "--key", files.key, "--json"}));
  EXPECT_EQ(measured.at("agents.tls_server_us_per_sample").at("n"), 8000);
  EXPECT_EQ(measured.at("agents.reconnect_s_p100").at("n"), 20);
}

TEST_F(BenchProgram, IngestFailsIfAServerHasOtherSamplesThanSent) {
  const TempDirectory data;
  const auto program = std::filesystem::path(STATMILL_BENCH).parent_path() / "statmilld";
  Process server({program,
                  {"--store.path", data.path(), "--line.listen", "127.0.0.1:0", "--http.listen",
                   "127.0.0.1:0", "--agent.listen", "127.0.0.1:0"},
                  {}});
  const std::optional<std::string> ready = server.wait_for_line(" ready ");
  ASSERT_TRUE(ready);
  const auto address = [&](const std::string& key) {
    const size_t begin = ready->find(" " + key + "=") + key.size() + 2;
    return ready->substr(begin, ready->find(' ', begin) - begin);
  };
  const std::vector<std::string> arguments = {"ingest",
                                              "--line",
                                              address("line"),
                                              "--http",
                                              "http://" + address("http"),
                                              "--pid",
                                              std::to_string(server.pid()),
                                              "--series",
                                              "10",
                                              "--samples",
                                              "30"};
  run(arguments);
  Process again({STATMILL_BENCH, arguments, {}});  // sends the same samples to the same series
  EXPECT_EQ(again.wait(), 1);
  EXPECT_THAT(again.standard_error(), HasSubstr("samples stored of 3 sent"));
}

TEST_F(BenchProgram, IngestMeasuresOtherServers) {
  TcpListener listener;  // accepts and buffers a few lines; answers no queries
  const auto measured =
      objects(run({"ingest", "--line", listener.endpoint().text(), "--pid", std::to_string(::getpid()),
                   "--series", "100", "--samples", "200", "--json"}));
  EXPECT_EQ(measured.at("ingest.tcp.live.100.samples_per_s").at("n"), 100);
  EXPECT_EQ(measured.at("ingest.tcp.live.100.lost").at("value").to_number<double>(), 0);
}

}  // namespace
}  // namespace statmill
