// Senders of remote_write against a whole server: one written here, which speaks 1.0 and 2.0 and repeats what
// it has no answer for, and Debian's Prometheus. The server is killed with kill -9 in the middle of it:
// nothing is lost, and nothing counts twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "tests/e2e/server_process.h"
#include "tests/support/chaos_proxy.h"
#include "tests/support/remote_write_message.h"

namespace statmill {
namespace {

using testing::HasSubstr;
using Version = RemoteWriteVersion;

constexpr std::string_view kType1 = "application/x-protobuf";
constexpr std::string_view kType2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request";

HttpReply post(const Endpoint& http, std::string_view target, std::string_view type,
               const std::string& body) {
  return http_raw(http, "POST " + std::string(target) + " HTTP/1.1\r\nHost: " + http.text() +
                            "\r\nConnection: close\r\nContent-Encoding: snappy\r\nContent-Type: " +
                            std::string(type) + "\r\nX-Prometheus-Remote-Write-Version: 0.1.0\r\n" +
                            "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

HttpReply send(const Endpoint& http, Version version, const std::vector<SentSeries>& series) {
  if (version == Version::k1)
    return post(http, "/api/v1/write", kType1, snappy_block(write_request1(series)));
  return post(http, "/prometheus/api/v1/write", kType2, snappy_block(write_request2(series)));
}

int64_t now_ms() { return SystemClock().wall().time_since_epoch().count(); }

SentSeries series(const std::string& name, const std::vector<RemoteSample>& samples) {
  return {{{"__name__", name}, {"job", "test"}}, samples};
}

TEST(RemoteWriteE2e, AnswersBothVersions) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const int64_t now = now_ms();
  const HttpReply one = send(server.http(), Version::k1, {series("heat", {{1.5, now, 0}})});
  EXPECT_EQ(one.status, 204) << one.body;
  EXPECT_EQ(one.body, "");
  EXPECT_EQ(one.header("X-Prometheus-Remote-Write-Samples-Written"), "");
  const HttpReply two =
      send(server.http(), Version::k2, {series("heat", {{2.5, now + 1, 0}, {3, now + 2, 0}})});
  EXPECT_EQ(two.status, 204) << two.body;
  EXPECT_EQ(two.header("X-Prometheus-Remote-Write-Samples-Written"), "2");
  EXPECT_EQ(two.header("X-Prometheus-Remote-Write-Histograms-Written"), "0");
  EXPECT_EQ(two.header("X-Prometheus-Remote-Write-Exemplars-Written"), "0");
  // What is answered is durable.
  server.kill();
  server.start();
  EXPECT_EQ(server.totals("heat;job=test").at("heat;job=test").sum, 7);
  EXPECT_EQ(server.conservation(), "");
}

TEST(RemoteWriteE2e, SaysWhatIsWrong) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const std::string body = snappy_block(write_request1({series("heat", {{1, now_ms(), 0}})}));
  const auto status = [&](std::string_view type) {
    return post(server.http(), "/api/v1/write", type, body).status;
  };
  EXPECT_EQ(status("application/x-protobuf;proto=prometheus.WriteRequest"), 204);
  EXPECT_EQ(status("application/x-protobuf;proto=io.prometheus.write.v3.Request"), 415);
  EXPECT_EQ(status("application/json"), 415);
  const HttpReply rubbish = post(server.http(), "/api/v1/write", kType1, "rubbish");
  EXPECT_EQ(rubbish.status, 400);
  EXPECT_THAT(rubbish.body, HasSubstr("snappy: corrupt input"));
  const HttpReply huge = post(server.http(), "/api/v1/write", kType1, "\xff\xff\xff\xff\x0f");
  EXPECT_EQ(huge.status, 413) << huge.body;
  const HttpReply part =
      send(server.http(), Version::k2, {series("heat", {{2, now_ms(), 0}}), series("past", {{1, 1000, 0}})});
  EXPECT_EQ(part.status, 400);
  EXPECT_THAT(part.body, HasSubstr("1 of 2 samples are refused, the others are stored: 1 too_old"));
  EXPECT_EQ(part.header("X-Prometheus-Remote-Write-Samples-Written"), "1");
  EXPECT_EQ(server.totals("heat;job=test").at("heat;job=test").sum, 3);
  EXPECT_EQ(server.conservation(), "");
}

TEST(RemoteWriteE2e, ASeriesThatEndsIsGoneAtOnce) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const int64_t now = now_ms();
  const double end = std::bit_cast<double>(kStaleMarkerBits);
  const auto found = [&] { return server.get("/prometheus/api/v1/query?query=heat"); };
  ASSERT_EQ(send(server.http(), Version::k1, {series("heat", {{1.5, now - 30'000, 0}})}).status, 204);
  EXPECT_THAT(found(), HasSubstr("\"1.5\""));
  ASSERT_EQ(send(server.http(), Version::k1, {series("heat", {{end, now - 15'000, 0}})}).status, 204);
  EXPECT_THAT(found(), HasSubstr("\"result\":[]"));
  EXPECT_THAT(server.get("/prometheus/api/v1/query?query=heat&time=" + std::to_string(now / 1000 - 20)),
              HasSubstr("\"1.5\""));
  EXPECT_EQ(server.metric("statmill_ended_series"), 1);
  ASSERT_EQ(send(server.http(), Version::k1, {series("heat", {{2.5, now - 5'000, 0}})}).status, 204);
  EXPECT_THAT(found(), HasSubstr("\"2.5\""));
  EXPECT_EQ(server.metric("statmill_ended_series"), 0);
  EXPECT_EQ(server.conservation(), "");
}

SentSeries of_replica(const std::string& replica, double value) {
  return {{{"__name__", "n_total"}, {"__replica__", replica}, {"cluster", "eu"}}, {{value, now_ms(), 0}}};
}

// Two replicas send the same counter, and the one that counts falls silent.
TEST(RemoteWriteE2e, AnotherReplicaTakesOver) {
  ServerProcess server(STATMILL_BIN, {"--prometheus.replica_timeout", "5s"});
  server.start();
  const auto sent = [&](const std::string& replica, double value) {
    const HttpReply reply = send(server.http(), Version::k2, {of_replica(replica, value)});
    EXPECT_EQ(reply.status, 204) << reply.body;
    return reply.header("X-Prometheus-Remote-Write-Samples-Written");
  };
  const auto total = [&] {
    const auto totals = server.totals("n_total;*");
    EXPECT_EQ(totals.size(), 1U);
    return totals.at("n_total;cluster=eu").sum;
  };
  EXPECT_EQ(sent("a", 100), "1");
  EXPECT_EQ(sent("b", 101), "0");
  EXPECT_EQ(sent("a", 107), "1");
  EXPECT_EQ(total(), 7);
  double value = 107;
  EXPECT_TRUE(wait_until([&] { return sent("b", ++value) == "1"; }));
  EXPECT_EQ(total(), value - 100);
  EXPECT_EQ(sent("a", 1000), "0");
  server.kill();
  server.start();
  EXPECT_EQ(sent("a", value + 5), "1") << "after a start, the first one is elected";
  EXPECT_EQ(total(), value + 5 - 100);
  EXPECT_EQ(sent("b", 2000), "0");
  EXPECT_GE(server.metric("statmill_samples_refused_total{listener=\"remote_write\",reason=\"replica\"}"), 1);
  EXPECT_THAT(server.get("/api/v1/status/rejects"), HasSubstr("cluster=eu;__replica__=b"));
  EXPECT_EQ(server.conservation(), "");
}

// A sender of counters and gauges whose values it knows. It repeats a request until it has an answer.
class Sender {
 public:
  explicit Sender(uint64_t seed) : random_(seed), time_ms_(now_ms() - 60'000) {}

  // Sends until the server does not answer.
  void run(const Endpoint& http) {
    for (;;) {
      if (pending_.empty()) make_request();
      const HttpReply reply = send(http, version_, pending_);
      if (reply.status != 204) {
        if (reply.status != 0 && reply.status != 503) fault_ = reply.headers + reply.body;
        return;
      }
      ++answered_;
      pending_.clear();
    }
  }
  // Compares the store with what was sent; the last request must have been answered.
  void check(const ServerProcess& server) const {
    EXPECT_EQ(fault_, "");
    const auto totals = server.totals("*;job=test");
    for (size_t i = 0; i < kCounters; ++i) EXPECT_EQ(totals.at(name(i)).sum, counted_[i]) << name(i);
    EXPECT_EQ(totals.at("heat;job=test").sum, heat_);
    EXPECT_EQ(totals.at("heat;job=test").count, requests_);
  }
  int answered() const { return answered_; }
  // Sends what has no answer yet.
  void finish(const Endpoint& http) {
    if (pending_.empty()) return;
    EXPECT_EQ(send(http, version_, pending_).status, 204);
    pending_.clear();
  }

 private:
  static constexpr size_t kCounters = 20;
  static std::string name(size_t i) { return "n" + std::to_string(i) + "_total;job=test"; }

  void make_request() {
    time_ms_ += 10;
    version_ = random_() % 2 == 0 ? Version::k1 : Version::k2;
    for (size_t i = 0; i < kCounters; ++i) {
      const bool is_reset = requests_ > 0 && random_() % 20 == 0;
      const uint64_t value = is_reset ? random_() % (values_[i] + 1) : values_[i] + random_() % 100;
      if (requests_ > 0) counted_[i] += static_cast<double>(value < values_[i] ? value : value - values_[i]);
      values_[i] = value;
      pending_.push_back(
          series("n" + std::to_string(i) + "_total", {{static_cast<double>(value), time_ms_, 0}}));
    }
    heat_ += static_cast<double>(requests_);
    pending_.push_back(series("heat", {{static_cast<double>(requests_), time_ms_, 0}}));
    ++requests_;
  }

  std::mt19937_64 random_;
  int64_t time_ms_;
  Version version_ = Version::k1;
  std::vector<SentSeries> pending_;
  std::array<uint64_t, kCounters> values_{};
  std::array<double, kCounters> counted_{};
  double heat_ = 0;
  int requests_ = 0;
  int answered_ = 0;
  std::string fault_;
};

// SM_SEEDS is how many, by default 20.
TEST(RemoteWriteE2e, KillsOfTheServerLoseNothingAndRepeatNothing) {
  const char* const wanted = std::getenv("SM_SEEDS");
  const uint64_t seeds = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 20;
  int answered = 0;
  for (uint64_t seed = 1; seed <= seeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    ServerProcess server(STATMILL_BIN, {"--tick", "20ms", "--flush.interval", "300ms"});
    Sender sender(seed);
    server.start();
    for (int kills = 0; kills < 3; ++kills) {
      std::thread client([&] { sender.run(server.http()); });
      // The time of the kill is an input of the test; this sleep waits for no event.
      std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 300));
      server.kill();
      client.join();
      server.start();
      if (HasFatalFailure()) return;
    }
    sender.finish(server.http());
    sender.check(server);
    answered += sender.answered();
    EXPECT_EQ(server.conservation(), "");
    EXPECT_EQ(server.stop(), 0);
  }
  std::printf("%lu kills: %d requests answered\n", 3 * seeds, answered);
  EXPECT_GT(answered, 0) << "how many there are depends on the load of the machine";
}

// Debian's Prometheus, which scrapes a server and sends what it finds to another.
TEST(RemoteWriteE2e, PrometheusLosesNothingWhenTheServerIsKilled) {
  const std::string program = STATMILL_SOURCE_TREE "/build/unpacked/prometheus/bin/prometheus";
  if (!std::filesystem::exists(program))
    GTEST_SKIP() << program << " is not there: tools/install-packages --test";
  ServerProcess source(STATMILL_BIN);
  ServerProcess server(STATMILL_BIN);
  source.start();
  server.start();
  ChaosProxy proxy(1);
  proxy.stop_faults();
  proxy.forward_to(server.http());
  const TempDirectory directory;
  directory.write(
      "prometheus.yml",
      "global: {scrape_interval: 200ms, scrape_timeout: 200ms}\n"
      "scrape_configs: [{job_name: source, static_configs: [{targets: ['" +
          source.http().text() +
          "']}]}]\n"
          "remote_write: [{url: 'http://" +
          proxy.endpoint().text() +
          "/prometheus/api/v1/write', queue_config: {batch_send_deadline: 200ms, min_backoff: 30ms, "
          "max_backoff: 100ms}, metadata_config: {send_interval: 1s}}]\n");
  Process prometheus(
      {program,
       {"--config.file=" + (directory.path() / "prometheus.yml").string(),
        "--storage.tsdb.path=" + (directory.path() / "data").string(), "--web.listen-address=127.0.0.1:0"},
       {}});
  const std::string name =
      "statmill_samples_accepted_total;instance=" + source.http().text() + ";job=source;listener=http";
  const auto total = [&] {
    const auto totals = server.totals("statmill_samples_accepted_total;*listener=http");
    const auto found = totals.find(name);
    return found == totals.end() ? -1 : found->second.sum;
  };
  ASSERT_TRUE(wait_until([&] { return total() >= 0; })) << prometheus.standard_error();
  constexpr int kPosts = 30;
  for (int i = 0; i < kPosts; ++i) {
    ASSERT_EQ(http_post(source.http(), "/api/v1/lines", "*n 1\n*n 1\n*n 1\n").status, 200);
    if (i % 10 != 5) continue;
    ASSERT_TRUE(
        wait_until([&, before = server.metric("statmill_samples_received_total{listener=\"remote_write\"}")] {
          return server.metric("statmill_samples_received_total{listener=\"remote_write\"}") > before;
        }));
    server.kill();
    server.start();
    proxy.forward_to(server.http());
  }
  EXPECT_TRUE(wait_until([&] { return total() == 3.0 * kPosts; })) << total();
  // Later samples change nothing.
  const double received = server.metric("statmill_samples_received_total{listener=\"remote_write\"}");
  EXPECT_TRUE(
      server.wait_for_metric("statmill_samples_received_total{listener=\"remote_write\"}", received + 1000));
  EXPECT_EQ(total(), 3.0 * kPosts);
  EXPECT_EQ(
      server.metric("statmill_samples_refused_total{listener=\"remote_write\",reason=\"out_of_order\"}"), 0);
  EXPECT_EQ(server.conservation(), "");
  prometheus.signal(SIGTERM);
  EXPECT_EQ(prometheus.wait(), 0);
}

}  // namespace
}  // namespace statmill
