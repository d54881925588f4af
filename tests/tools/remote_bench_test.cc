// Suite `remote` of statmill-bench: its command line, and the requests that it sends.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "proto/prometheus/remote_write.h"
#include "proto/prometheus/snappy_block.h"
#include "tools/statmill-bench/options.h"
#include "tools/statmill-bench/remote_workload.h"

namespace statmill {
namespace {

using Wire = RemoteWorkloadOptions::Wire;

constexpr size_t kSeries = 1500;
constexpr int64_t kFirst_s = 1'700'000'000;

Result<RemoteBenchOptions> parse_remote(const std::vector<std::string>& arguments) {
  const auto values = parse_suite_arguments(arguments, describe_remote());
  return values ? remote_options(*values) : values.error();
}

RemoteWorkload workload(Wire wire) {
  return RemoteWorkload(
      {.wire = wire, .series = kSeries, .samples_per_request = 400, .first_time_s = kFirst_s});
}

// Sums up what requests of remote_write have.
class Seen final : public RemoteWriteVisitor {
 public:
  void begin_series(const RemoteSeries& sent) override {
    EXPECT_GE(sent.labels.size(), 7U);
    EXPECT_LE(sent.labels.size(), 10U);
    EXPECT_TRUE(std::is_sorted(sent.labels.begin(), sent.labels.end(),
                               [](const LabelView& a, const LabelView& b) { return a.name < b.name; }));
    std::string name;
    for (const LabelView& label : sent.labels) name.append(label.name).append("=").append(label.value) += ",";
    last_ = &series[name];
  }
  void add_sample(const RemoteSample& sample) override {
    EXPECT_EQ(sample.time_ms, 1000 * (kFirst_s + 10 * static_cast<int64_t>(last_->size())));
    last_->push_back(sample.value);
  }
  void add_histogram(const NativeHistogram&) override { FAIL(); }
  void add_exemplar(const RemoteExemplar&) override { FAIL(); }
  void add_family(const RemoteFamily&) override { FAIL(); }

  std::map<std::string, std::vector<double>> series;

 private:
  std::vector<double>* last_ = nullptr;
};

TEST(RemoteBench, ReadsOptionsWithinBounds) {
  const auto options = parse_remote({"remote", "--only", "otlp", "--series", "7", "--request", "8",
                                     "--passes", "9", "--connections", "10", "--rounds", "11"});
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->only, std::vector<std::string>{"otlp"});
  EXPECT_EQ(options->series, 7U);
  EXPECT_EQ(options->samples_per_request, 8U);
  EXPECT_EQ(options->passes, 9U);
  EXPECT_EQ(options->connections, 10U);
  EXPECT_EQ(options->rounds, 11U);
  EXPECT_EQ(options->peers, std::vector<std::string>{"victoria-metrics"});
  EXPECT_TRUE(parse_remote({"remote", "--peers", "none"})->peers.empty());
  EXPECT_FALSE(parse_remote({"remote", "--passes", "1"}).has_value()) << "no series would be known";
  EXPECT_FALSE(parse_remote({"remote", "--peers", "prometheus"}).has_value());
}

TEST(RemoteBench, EachPassHasTheNextSampleOfEachSeries) {
  RemoteWorkload sent = workload(Wire::kRemoteWrite);
  Seen seen;
  for (size_t pass = 0; pass < 3; ++pass) {
    const std::vector<std::string> requests = sent.next_pass();
    EXPECT_EQ(requests.size(), 4U);
    for (const std::string& body : requests) {
      const Result<std::string> message = decode_snappy(body, size_t{1} << 20);
      ASSERT_TRUE(message.has_value());
      ASSERT_TRUE(decode_remote_write(RemoteWriteVersion::k1, *message, seen).has_value());
    }
  }
  EXPECT_EQ(seen.series.size(), kSeries);
  for (const auto& [name, values] : seen.series) EXPECT_EQ(values.size(), 3U) << name;
  EXPECT_EQ(sent.totals().count, 3U);
  EXPECT_EQ(sent.totals().until_s - sent.totals().from_s, 40);
}

TEST(RemoteBench, CountersOfOtlpCountFromTheirStart) {
  RemoteWorkload by_remote_write = workload(Wire::kRemoteWrite);
  RemoteWorkload by_otlp = workload(Wire::kOtlp);
  static_cast<void>(by_remote_write.next_pass());
  EXPECT_EQ(by_otlp.next_pass().size(), 4U);
  EXPECT_EQ(by_otlp.resources(), 5U) << "the third request has two hosts";
  const SentTotals counted = by_remote_write.totals();
  const SentTotals whole = by_otlp.totals();
  EXPECT_EQ(counted.hundredths[0], 0) << "of a counter nothing is known before its first sample";
  EXPECT_GT(whole.hundredths[0], 0);
  EXPECT_EQ(counted.hundredths[999], whole.hundredths[999]) << "a gauge";
  EXPECT_EQ(whole.name(0),
            "node_cpu_seconds_total;cpu=0;instance=node-1000.eu-central-1.example.net:9100;"
            "job=node-exporter;mode=idle");
}

TEST(RemoteBench, TheSameOptionsGiveTheSameBytes) {
  for (const Wire wire : {Wire::kRemoteWrite, Wire::kOtlp}) {
    RemoteWorkload one = workload(wire);
    RemoteWorkload other = workload(wire);
    EXPECT_EQ(one.next_pass(), other.next_pass());
    EXPECT_EQ(one.next_pass(), other.next_pass());
  }
}

}  // namespace
}  // namespace statmill
