// Senders of OTLP against a whole server: OpenTelemetry's SDK for JavaScript, if npm's packages are
// installed, and one written here, which repeats what it has no answer for while the server is killed with
// kill -9: nothing is lost, and nothing counts twice.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "server/http/content_coding.h"
#include "tests/e2e/server_process.h"
#include "tests/support/otlp_message.h"

namespace statmill {
namespace {

constexpr std::string_view kProtobuf = "application/x-protobuf";

HttpReply post(const Endpoint& http, const std::string& body, std::string_view type = kProtobuf,
               std::string_view fields = {}, std::string_view path = "/v1/metrics") {
  return http_raw(http, "POST " + std::string(path) + " HTTP/1.1\r\nHost: " + http.text() +
                            "\r\nConnection: close\r\nContent-Type: " + std::string(type) + "\r\n" +
                            std::string(fields) + "Content-Length: " + std::to_string(body.size()) +
                            "\r\n\r\n" + body);
}

uint64_t now_ns() {
  return static_cast<uint64_t>(SystemClock().wall().time_since_epoch().count()) * 1'000'000;
}

TEST(OtlpE2e, WhatIsAnsweredIsDurable) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const uint64_t now = now_ns();
  const std::string request = otlp::request(
      {{"service.name", "shop"}},
      {otlp::sum("shop.orders", {otlp::integer_point({{"city", "Oslo"}}, {now}, 5)}, otlp::kDelta)});
  const HttpReply reply = post(server.http(), request);
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.body, "");
  EXPECT_EQ(reply.header("Content-Type"), kProtobuf);
  server.kill();
  server.start();
  EXPECT_EQ(post(server.http(), request).status, 200) << "again";
  EXPECT_EQ(server.totals("shop.orders*").at("shop.orders;city=Oslo;job=shop").sum, 5);
  const HttpReply json = post(server.http(), "{}", "application/json");
  EXPECT_EQ(json.status, 200);
  EXPECT_EQ(json.body, "{}");
  EXPECT_EQ(json.header("Content-Type"), "application/json");
  EXPECT_EQ(post(server.http(), "rubbish").status, 400);
  EXPECT_EQ(post(server.http(), request, "text/plain").status, 415);
  const HttpReply traces = post(server.http(), std::string(2'000'000, 'x'), kProtobuf, {}, "/v1/traces");
  EXPECT_EQ(traces.status, 404);
  EXPECT_EQ(post(server.http(), "", kProtobuf, {}, "/v1/logs").status, 404);
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

// What the SDK for JavaScript records, in each encoding and temporality.
TEST(OtlpE2e, TheSdkForJavaScriptIsExact) {
  if (!std::filesystem::exists(STATMILL_NODE_MODULES "/@opentelemetry/exporter-metrics-otlp-proto"))
    GTEST_SKIP() << STATMILL_NODE_MODULES " has no packages of OpenTelemetry: the page is not packed";
  ServerProcess server(STATMILL_BIN);
  server.start();
  for (const std::string encoding : {"proto", "http"}) {
    for (const std::string temporality : {"delta", "cumulative"}) {
      SCOPED_TRACE(encoding + " " + temporality);
      const Ended ended =
          run_program({"env",
                       {std::string("NODE_PATH=") + STATMILL_NODE_MODULES, "node",
                        std::string(STATMILL_SOURCE_TREE) + "/tests/e2e/otlp_client.cjs",
                        "http://" + server.http().text() + "/v1/metrics", encoding, temporality},
                       {}});
      ASSERT_EQ(ended.status, 0) << ended.said;
      const std::string labels = ";instance=" + encoding + "-" + temporality + ";job=js";
      double requests = 0;
      size_t series = 0;
      for (const auto& [name, total] : server.totals("js.requests;http.method=*" + labels + ";retried=*")) {
        requests += total.sum;
        ++series;
      }
      EXPECT_EQ(series, 4U);
      EXPECT_EQ(requests, 5 * 20'100);
      EXPECT_EQ(server.totals("js.requests;http.method=GET" + labels + ";retried=true").begin()->second.sum,
                5 * 6.0 * 561);
      const auto total = [&](const std::string& path) {
        const auto totals = server.totals(path + labels);
        return totals.empty() ? SeriesTotals{} : totals.begin()->second;
      };
      EXPECT_EQ(total("js.up_down").sum, std::strtod(ended.out.c_str(), nullptr));
      EXPECT_EQ(total("js.latency").count, 1000);
      EXPECT_EQ(total("js.latency").sum, 15 * 20'100);
      EXPECT_EQ(total("js.exponential").count, 1000);
      EXPECT_EQ(total("js.exponential").sum, 0.25 * 15 * (20'100 - 5 * 820));
      // The SDK says that a cumulative one counts since its first export, so nobody knows what was before.
      EXPECT_EQ(total("js.observed_counter").sum, (temporality == "delta" ? 5 : 4) * 20'100);
      EXPECT_EQ(total("js.observed").sum, 7 * total("js.observed").count);
    }
  }
  EXPECT_EQ(server.totals("target_info;*job=js*").size(), 4U);
  EXPECT_EQ(server.metric("statmill_samples_received_total{listener=\"otlp\"}"),
            server.metric("statmill_samples_accepted_total{listener=\"otlp\"}"));
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

// A program whose counters and histograms have known totals. It repeats a request until it has an answer.
class Sender {
 public:
  explicit Sender(uint64_t seed) : random_(seed), time_ns_(now_ns() - 60'000'000'000), start_ns_(time_ns_) {}

  // Sends until the server does not answer.
  void run(const Endpoint& http) {
    for (;;) {
      if (pending_.empty()) make_request();
      const HttpReply reply = post(http, pending_);
      if (reply.status != 200 || !reply.body.empty()) {
        if (reply.status != 0 && reply.status != 503) fault_ = reply.headers + reply.body;
        return;
      }
      ++answered_;
      pending_.clear();
    }
  }
  // Sends what has no answer yet.
  void finish(const Endpoint& http) {
    if (pending_.empty()) return;
    EXPECT_EQ(post(http, pending_).status, 200);
    pending_.clear();
  }
  // Compares the store with what was sent; the last request must have been answered.
  void check(const ServerProcess& server) const {
    EXPECT_EQ(fault_, "");
    const auto totals = server.totals("*;job=test");
    EXPECT_EQ(totals.at("amounts;job=test").sum, amounts_);
    EXPECT_EQ(totals.at("counter;job=test").sum, counted_);
    EXPECT_EQ(totals.at("gauge;job=test").sum, gauges_);
    EXPECT_EQ(totals.at("gauge;job=test").count, requests_);
    for (const std::string name : {"explicit_amounts", "explicit", "exponential"}) {
      EXPECT_EQ(totals.at(name + ";job=test").count, samples_) << name;
      EXPECT_EQ(totals.at(name + ";job=test").sum, sum_) << name;
    }
  }
  int answered() const { return answered_; }

 private:
  // What was recorded since the program began, or since the request before.
  struct Recorded {
    std::array<uint64_t, 4> counts{};
    double sum = 0;

    otlp::Explicit with_bounds() const { return {{1, 2, 4}, {counts.begin(), counts.end()}, sum}; }
    // At a scale, each bucket has two of the next higher one.
    otlp::Exponential exponential(int32_t scale) const {
      otlp::Side side{0, {counts[1], counts[2]}};
      if (scale > 0) side = {0, {counts[1], 0, counts[2]}};
      return {scale, counts[0] + counts[3], side, {}, sum};
    }
  };

  void make_request() {
    time_ns_ += 10'000'001;
    if (random_() % 20 == 0) {  // the program begins again
      cumulative_ = {};
      value_ = 0;
      time_ns_ += 1'500'000'000;
      start_ns_ = time_ns_ - 1;
    }
    const auto amount = static_cast<int64_t>(random_() % 100);
    Recorded now;
    for (size_t i = 0; i < now.counts.size(); ++i) {
      now.counts[i] = random_() % 3;
      cumulative_.counts[i] += now.counts[i];
      samples_ += static_cast<double>(now.counts[i]);
      now.sum += static_cast<double>(now.counts[i] * (i + 1)) / 2;
    }
    cumulative_.sum += now.sum;
    sum_ += now.sum;
    amounts_ += static_cast<double>(amount);
    value_ += amount;
    counted_ += static_cast<double>(amount);
    gauges_ += static_cast<double>(requests_);
    // Its scale falls once in the life of a program.
    const int32_t scale = value_ < 200 ? 1 : 0;
    const otlp::Times times = {time_ns_, start_ns_};
    pending_ = otlp::request(
        {{"service.name", "test"}},
        {otlp::sum("amounts", {otlp::integer_point({}, times, amount)}, otlp::kDelta),
         otlp::sum("counter", {otlp::integer_point({}, times, value_)}, otlp::kCumulative),
         otlp::gauge("gauge", {otlp::integer_point({}, times, requests_)}),
         otlp::histogram("explicit_amounts", {otlp::histogram_point({}, times, now.with_bounds())},
                         otlp::kDelta),
         otlp::histogram("explicit", {otlp::histogram_point({}, times, cumulative_.with_bounds())},
                         otlp::kCumulative),
         otlp::exponential("exponential",
                           {otlp::exponential_point({}, times, cumulative_.exponential(scale))},
                           otlp::kCumulative)});
    ++requests_;
  }

  std::mt19937_64 random_;
  uint64_t time_ns_;
  uint64_t start_ns_;
  std::string pending_;
  int64_t value_ = 0;
  Recorded cumulative_;
  double amounts_ = 0;
  double counted_ = 0;
  double gauges_ = 0;
  double samples_ = 0;
  double sum_ = 0;
  int requests_ = 0;
  int answered_ = 0;
  std::string fault_;
};

// SM_SEEDS is how many, by default 5.
TEST(OtlpE2e, KillsOfTheServerLoseNothingAndRepeatNothing) {
  const char* const wanted = std::getenv("SM_SEEDS");
  const uint64_t seeds = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 5;
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

std::string repeated(std::string_view text, size_t bytes) {
  std::string out;
  out.reserve(bytes);
  while (out.size() + text.size() <= bytes) out += text;
  return out;
}

double peak_bytes(ServerProcess& server) {
  std::ifstream status("/proc/" + std::to_string(server.process().pid()) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) * 1024;
  }
  return 0;
}

// Each body is answered, and none leaves the server without memory.
TEST(OtlpE2e, HostileBodiesTakeBoundedMemory) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  constexpr size_t kBody = size_t{60} << 20;
  constexpr size_t kJson = size_t{19} << 20;
  const auto in_metric = [](uint64_t field, const std::string& points) {
    ProtobufWriter metric;
    metric.bytes(1, "n");
    metric.bytes(field, points);
    return otlp::inside(1, otlp::inside(2, otlp::inside(2, metric.text())));
  };
  const std::string attribute = otlp::inside(7, otlp::key_value("k", "v"));
  const std::string json =
      R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"n","histogram":{"dataPoints":[{)";
  struct Body {
    std::string name;
    std::string text;
    std::string_view type = kProtobuf;
  };
  const std::vector<Body> bodies = {
      {"empty resources", repeated(otlp::inside(1, ""), kBody)},
      {"empty points", in_metric(5, repeated(otlp::inside(1, ""), kBody))},
      {"points without a value", in_metric(5, repeated(otlp::inside(1, std::string("\x40\x01", 2)), kBody))},
      {"attributes of one point", in_metric(5, otlp::inside(1, repeated(attribute, kBody)))},
      {"attributes of a resource",
       otlp::inside(1, otlp::inside(1, repeated(otlp::inside(1, otlp::key_value("k", "v")), kBody)))},
      {"empty buckets",
       in_metric(10, otlp::inside(1, otlp::inside(8, otlp::inside(2, std::string(kBody, '\0')))))},
      {"buckets", in_metric(10, otlp::inside(1, otlp::inside(8, otlp::inside(2, std::string(kBody, '\1')))))},
      {"bounds", in_metric(9, otlp::inside(1, otlp::inside(7, std::string(kBody, '\1'))))},
      {"depth", repeated("\x0a", kBody)},
      {"objects of JSON", R"({"resourceMetrics":[{})" + repeated(",{}", kJson) + "]}", "application/json"},
      {"counts of JSON", json + R"("bucketCounts":[0)" + repeated(",0", kJson) + "]}]}}]}]}]}",
       "application/json"},
      {"unknown keys of JSON", "{\"x\":[0" + repeated(",{\"y\":[]}", kJson) + "]}", "application/json"},
      {"one text of JSON", "{\"x\":\"" + std::string(kJson, 'x') + "\"}", "application/json"},
      {"depth of JSON", "{\"x\":" + std::string(kJson, '['), "application/json"},
      {"a bomb", std::string(size_t{200} << 20, '\0')},
  };
  for (const auto& [name, text, type] : bodies) {
    const std::string body = make_encoder(ContentCoding::kGzip)->encode(text, true);
    const auto begin = std::chrono::steady_clock::now();
    const HttpReply reply = post(server.http(), body, type, "Content-Encoding: gzip\r\n");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    EXPECT_TRUE(reply.status == 200 || reply.status == 400 || reply.status == 413) << name << reply.status;
    EXPECT_LT(reply.body.size(), 2000U) << name;
    std::printf("%s: %d, %.2f s, at most %.0f MB\n", name.c_str(), reply.status, taken.count(),
                peak_bytes(server) / 1e6);
  }
  EXPECT_EQ(post(server.http(), std::string(21 << 20, 'x')).status, 413);
  EXPECT_LT(peak_bytes(server), 600e6);
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

}  // namespace
}  // namespace statmill
