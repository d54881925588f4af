// Exemplars through each door of a whole server, which is killed with kill -9 in the middle: query_exemplars
// answers what was sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "statmill/registry.h"
#include "statmill/reporter.h"
#include "tests/e2e/server_process.h"
#include "tests/support/otlp_message.h"
#include "tests/support/remote_write_message.h"
#include "tests/support/temp_directory.h"

namespace statmill {
namespace {

using testing::HasSubstr;

int64_t now_s() { return unix_seconds(SystemClock().wall()); }

HttpReply post(const ServerProcess& server, std::string_view target, std::string_view fields,
               const std::string& body) {
  return http_raw(server.http(), "POST " + std::string(target) +
                                     " HTTP/1.1\r\nHost: " + server.http().text() +
                                     "\r\nConnection: close\r\n" + std::string(fields) +
                                     "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
}

constexpr std::string_view kRemote1 = "Content-Encoding: snappy\r\nContent-Type: application/x-protobuf\r\n";
constexpr std::string_view kRemote2 =
    "Content-Encoding: snappy\r\nContent-Type: "
    "application/x-protobuf;proto=io.prometheus.write.v2.Request\r\n";

std::string exemplars(const ServerProcess& server, const std::string& query) {
  return server.get("/prometheus/api/v1/query_exemplars?query=" + query);
}

// {"labels":{"trace_id":"a"},"value":"6","timestamp":1700000000}
std::string exemplar(std::string_view trace, std::string_view value, int64_t time_s) {
  return R"({"labels":{"trace_id":")" + std::string(trace) + R"("},"value":")" + std::string(value) +
         R"(","timestamp":)" + std::to_string(time_s) + "}";
}

std::string answer(const std::string& series, const std::string& list) {
  return R"({"status":"success","data":[{"seriesLabels":)" + series + R"(,"exemplars":[)" + list + "]}]}\n";
}

SentSeries bucket(double value, int64_t time_s, std::vector<SentExemplar> sent) {
  SentSeries series{{{"__name__", "h_bucket"}, {"le", "8"}}, {{value, time_s * 1000, 0}}};
  series.exemplars = std::move(sent);
  return series;
}

TEST(ExemplarsE2e, RemoteWriteKeepsTheLargestOfASlotThroughKills) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const int64_t slot_s = now_s() / 10 * 10 - 60;
  double value = 1;
  const auto send = [&](bool is_2, std::vector<SentExemplar> sent) {
    const std::vector<SentSeries> all = {
        bucket(value, slot_s + static_cast<int64_t>(value), std::move(sent))};
    const HttpReply reply = is_2 ? post(server, "/api/v1/write", kRemote2, snappy_block(write_request2(all)))
                                 : post(server, "/api/v1/write", kRemote1, snappy_block(write_request1(all)));
    EXPECT_EQ(reply.status, 204) << reply.body;
    return reply.header("X-Prometheus-Remote-Write-Exemplars-Written");
  };
  const SentExemplar large{{{"trace_id", "large"}}, 7.5, (slot_s + 1) * 1000};
  const SentExemplar small{{{"trace_id", "small"}}, 2, (slot_s + 2) * 1000};
  const SentExemplar later{{{"trace_id", "later"}}, 1, (slot_s + 12) * 1000};
  const SentExemplar long_one{{{"trace_id", std::string(200, 'x')}}, 9, (slot_s + 3) * 1000};
  EXPECT_EQ(send(true, {small, later, long_one}), "2");
  server.kill();  // what is answered is durable
  server.start();
  EXPECT_EQ(send(false, {large}), "");
  server.kill();
  server.start();
  EXPECT_EQ(send(true, {small, later}), "2") << "a request that comes again";
  const std::string series = R"({"__name__":"h_bucket","le":"8"})";
  const std::string both = exemplar("large", "7.5", slot_s + 1) + "," + exemplar("later", "1", slot_s + 12);
  EXPECT_EQ(exemplars(server, "histogram_quantile(0.9,rate(h_bucket%5B5m%5D))"), answer(series, both));
  EXPECT_EQ(exemplars(server, "h_bucket&start=" + std::to_string(slot_s + 5)),
            answer(series, exemplar("later", "1", slot_s + 12)));
  EXPECT_EQ(server.cli({"delete", "h_bucket;le=8"}).status, 0);
  EXPECT_EQ(exemplars(server, "h_bucket"), "{\"status\":\"success\",\"data\":[]}\n");
  EXPECT_EQ(send(true, {small}), "0") << "its sample came before, so that it makes no series";
  ++value;
  EXPECT_EQ(send(true, {small}), "1");
  EXPECT_EQ(exemplars(server, "h_bucket"), answer(series, exemplar("small", "2", slot_s + 2)));
  EXPECT_EQ(server.conservation(), "");
}

TEST(ExemplarsE2e, EachDoorPassesThemOn) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const int64_t time_s = now_s() - 5;
  const std::string open_metrics =
      "h_bucket{le=\"8\"} 1 # {trace_id=\"pushed\"} 3 " + std::to_string(time_s) + "\n# EOF\n";
  EXPECT_EQ(
      post(server, "/metrics/job/j", "Content-Type: application/openmetrics-text\r\n", open_metrics).status,
      200);
  EXPECT_EQ(exemplars(server, "h_bucket"),
            answer(R"({"__name__":"h_bucket","job":"j","le":"8"})", exemplar("pushed", "3", time_s)));

  ProtobufWriter label;
  label.bytes(1, "trace_id");
  label.bytes(2, "of_go");
  ProtobufWriter timestamp;
  timestamp.integer(1, static_cast<uint64_t>(time_s));
  ProtobufWriter of_counter;
  of_counter.bytes(1, label.text());
  of_counter.real(2, 2);
  of_counter.bytes(3, timestamp.text());
  ProtobufWriter counter;
  counter.real(1, 5);
  counter.bytes(2, of_counter.text());
  ProtobufWriter metric;
  metric.bytes(3, counter.text());
  ProtobufWriter family;
  family.bytes(1, "rows_total");
  family.bytes(4, metric.text());
  ProtobufWriter families;
  families.bytes(1, family.text());
  EXPECT_EQ(post(server, "/metrics/job/go",
                 "Content-Type: application/vnd.google.protobuf; "
                 "proto=io.prometheus.client.MetricFamily; encoding=delimited\r\n",
                 families.text().substr(1))
                .status,
            200);
  EXPECT_EQ(exemplars(server, "rows_total"),
            answer(R"({"__name__":"rows_total","job":"go"})", exemplar("of_go", "2", time_s)));

  const auto ns = static_cast<uint64_t>(time_s) * 1'000'000'000;
  ProtobufWriter sent;
  sent.fixed(2, ns);
  sent.real(3, 6);
  sent.bytes(5, "\xab\xcd");
  ProtobufWriter point;
  point.bytes(8, sent.text());
  const std::string histogram = otlp::histogram_point({}, {ns, 0}, {{5, 10}, {1, 2, 3}, 60}) + point.text();
  const std::string request =
      otlp::request({{"service.name", "shop"}}, {otlp::histogram("latency", {histogram}, otlp::kDelta)});
  EXPECT_EQ(post(server, "/v1/metrics", "Content-Type: application/x-protobuf\r\n", request).status, 200);
  EXPECT_EQ(exemplars(server, "latency_bucket"),
            answer(R"({"__name__":"latency","job":"shop"})", exemplar("abcd", "6", time_s)))
      << "buckets of a distribution are asked of the distribution";
  server.kill();
  server.start();
  EXPECT_THAT(exemplars(server, "latency"), HasSubstr("\"abcd\""));
  EXPECT_EQ(server.conservation(), "");
}

// A program counts with `counters/`, and reports to the server, or to an agent that relays.
TEST(ExemplarsE2e, ARecordedLatencyLeadsToItsTrace) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  Process agent({std::string(STATMILL_BIN) + "/statmill-agent",
                 {"--server", server.agent().text(), "--collectors", "load", "--agent.host", "e2e",
                  "--line.listen", "127.0.0.1:0"},
                 {}});
  const auto listens = agent.wait_for_line("setting=line.listen");
  ASSERT_TRUE(listens) << agent.standard_error();
  for (const std::string& address : {server.line().text(), log_value(*listens, "address")}) {
    const std::string path = address == server.line().text() ? "direct_us" : "relayed_us";
    Registry registry;
    Histogram<>& latency = registry.histogram(path, "", {{"app", "shop"}});
    latency.record_with(700, "trace_id=slow");
    latency.record_with(50, "trace_id=quick");
    std::string error;
    const auto reporter = Reporter::start(
        {.address = "tcp:" + address, .interval = std::chrono::hours(1), .registry = &registry}, error);
    ASSERT_TRUE(reporter) << error;
    EXPECT_TRUE(reporter->report());
    const auto got = [&] { return exemplars(server, path + "_bucket"); };
    EXPECT_TRUE(wait_until([&] {
      return got().find(R"("trace_id":"slow"},"value":"700")") != std::string::npos;
    })) << got();
    EXPECT_EQ(got().find("quick"), std::string::npos);
    EXPECT_THAT(got(), HasSubstr("\"app\":\"shop\""));
  }
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0) << agent.standard_error();
  EXPECT_EQ(server.conservation(), "");
}

// They are lines of their batch: the agent spools them while no server is there, and another process of it
// sends them.
TEST(ExemplarsE2e, ABatchThatWaitsInASpoolHasItsExemplars) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const TempDirectory spool;
  const Command command{std::string(STATMILL_BIN) + "/statmill-agent",
                        {"--server", server.agent().text(), "--collectors", "load", "--agent.host", "e2e",
                         "--line.listen", "127.0.0.1:0", "--spool.path", spool.path() / "spool"},
                        {}};
  {
    Process agent(command);
    const auto listens = agent.wait_for_line("setting=line.listen");
    ASSERT_TRUE(listens) << agent.standard_error();
    ASSERT_TRUE(agent.wait_for_line("server connected"));
    server.kill();
    ASSERT_TRUE(agent.wait_for_line("server away"));
    const std::string at = std::to_string(now_s());
    TcpConnection relay = TcpConnection::to(endpoint_of(log_value(*listens, "address")));
    ASSERT_TRUE(relay.send("%spooled_us " + at + " 7\n$x spooled_us " + at + "000 7 trace_id=waits\n"));
    relay.finish_sending();
    EXPECT_EQ(relay.receive(), "") << "the relay has read all, and closed";
    agent.signal(SIGTERM);
    EXPECT_EQ(agent.wait(), 0) << agent.standard_error();
  }
  server.start(0, server.agent().port);
  Process agent(command);
  const auto got = [&] { return exemplars(server, "spooled_us_bucket"); };
  EXPECT_TRUE(wait_until([&] { return got().find("\"waits\"") != std::string::npos; })) << got();
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0) << agent.standard_error();
  EXPECT_EQ(server.conservation(), "");
}

// The agent reads it in the file of a program that was killed.
TEST(ExemplarsE2e, TheSlowestRequestOfAKilledProgramLeadsToItsTrace) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const TempDirectory cells;
  Process agent({std::string(STATMILL_BIN) + "/statmill-agent",
                 {"--server", server.agent().text(), "--collectors", "programs", "--programs.dir",
                  cells.path().string(), "--interval", "100ms", "--agent.host", "e2e"},
                 {}});
  ASSERT_TRUE(wait_until([&] { return !server.totals("host.agent.program_files;*").empty(); }))
      << agent.standard_error();
  Process program({STATMILL_SHARING_PROGRAM, {"exemplars"}, {{"STATMILL_SHARE", cells.path().string()}}});
  ASSERT_TRUE(program.wait_for_line("ready")) << program.standard_error();
  program.signal(SIGKILL);
  EXPECT_EQ(program.wait(), -SIGKILL);
  const auto got = [&] { return exemplars(server, "%7B__name__=%22shop.latency_ns%22%7D"); };
  EXPECT_TRUE(wait_until([&] {
    return got().find(R"("trace_id":"a"},"value":"1000")") != std::string::npos;
  })) << got();
  EXPECT_THAT(got(), HasSubstr("\"uid\":\"" + std::to_string(::geteuid()) + "\""));
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.wait(), 0) << agent.standard_error();
  EXPECT_EQ(server.conservation(), "");
}

}  // namespace
}  // namespace statmill
