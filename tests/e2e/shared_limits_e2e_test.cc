// What one client fills is not missing to others: with each shared limit full, health is answered, ticks
// become durable, and an agent and a sender of lines that were there before go on.
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "tests/e2e/server_process.h"
#include "tests/support/test_agent.h"

namespace statmill {
namespace {

using Connections = std::vector<TcpConnection>;

// Slots of 10 s for all that long_query() asks for.
constexpr const char* kRetention = "10s:60d,1h:1y";

constexpr size_t kBodyBytes = size_t{8} << 20;  // the longest body of lines
// Both have answers that are longer than all socket buffers, so that they wait for clients who do not read:
// one of 259,200 slots, and one of 60 series with 10,000 points each, which counts as 5.4 MB of memory of
// queries.
std::string long_query() {
  return "/api/v1/query?series=fill.0&from=-30d&until=now&step=10&max_points=1000000"
         "&stats=avg,min,max,count,sum,rate";
}
std::string large_query() {
  const std::time_t now = std::time(nullptr) / 10 * 10;
  return "/prometheus/api/v1/"
         "query_range?query=last_over_time(%7B__name__=~%22fill.*%22%7D%5B30d%5D)&step=10&start=" +
         std::to_string(now) + "&end=" + std::to_string(now + 100'000);
}

struct Limit {
  const char* name;
  std::vector<std::string> options;
  // Fills the limit from other addresses of this host. What it returns keeps the limit full.
  std::function<Connections(ServerProcess&)> fill;
  // Returns true if a further client meets the limit. Called while it is full.
  std::function<bool(ServerProcess&)> is_full;
};

void PrintTo(const Limit& limit, std::ostream* out) { *out << limit.name; }

// The address of the nth stranger.
std::string stranger(size_t n) { return "127.0.0." + std::to_string(2 + n % 200); }

std::string post_of(std::string_view target, std::string_view type, size_t bytes) {
  return "POST " + std::string(target) +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + std::string(type) +
         "\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n";
}

// All from one address if `step` is 0, else each from its own.
Connections idle(const Endpoint& endpoint, size_t count, size_t step) {
  Connections out;
  for (size_t i = 0; i < count; ++i) out.push_back(TcpConnection::to(endpoint, stranger(i * step)));
  return out;
}

// Begins to read an answer.
TcpConnection reader(ServerProcess& server, size_t n, const std::string& target) {
  TcpConnection out = TcpConnection::to(server.http(), stranger(n));
  EXPECT_TRUE(out.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  EXPECT_NE(out.receive(), "");
  return out;
}

bool is_refused(ServerProcess& server, const std::string& target) {
  TcpConnection probe = TcpConnection::to(server.http(), stranger(100));
  EXPECT_TRUE(probe.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"));
  return probe.receive().starts_with("HTTP/1.1 503");
}

Connections fill_bodies(ServerProcess& server) {
  const std::string body(kBodyBytes - 1, '#');  // all but the last byte
  Connections out;
  for (size_t i = 0; i < 32; ++i) {
    TcpConnection& sender = out.emplace_back(TcpConnection::to(server.http(), stranger(i)));
    EXPECT_TRUE(sender.send(post_of("/api/v1/lines", "text/plain", kBodyBytes)));
    static_cast<void>(sender.send(body));  // false if the limit is met
  }
  return out;
}

bool is_body_refused(ServerProcess& server) {
  TcpConnection probe = TcpConnection::to(server.http(), stranger(100));
  EXPECT_TRUE(probe.send(post_of("/api/v1/lines", "text/plain", kBodyBytes)));
  static_cast<void>(probe.send(std::string(kBodyBytes, '#')));
  return probe.receive().starts_with("HTTP/1.1 503");
}

TcpConnection live_stream(ServerProcess& server, size_t n) {
  constexpr std::string_view kBody = R"({"series":["fill.0"]})";
  TcpConnection out = TcpConnection::to(server.http(), stranger(n));
  EXPECT_TRUE(out.send(post_of("/api/v1/live", "application/json", kBody.size()) + std::string(kBody)));
  return out;
}

Connections fill_queries(ServerProcess& server, size_t count, const std::string& target) {
  Connections out;
  for (size_t i = 0; i < count; ++i) out.push_back(reader(server, i, target));
  return out;
}

Connections fill_live(ServerProcess& server) {
  Connections out;
  for (size_t i = 0; i < 2; ++i) {
    out.push_back(live_stream(server, i));
    EXPECT_TRUE(out.back().receive().starts_with("HTTP/1.1 200"));
  }
  return out;
}

// The server closes a connection above the limit at once, and counts it.
bool is_closed_at_once(ServerProcess& server, const Endpoint& endpoint, const char* refused) {
  const double before = server.metric(refused);
  TcpConnection probe = TcpConnection::to(endpoint, stranger(100));
  EXPECT_EQ(probe.receive(), "");
  return server.metric(refused) == before + 1;
}

std::vector<Limit> limits() {
  return {
      {"HttpConnections",
       {"--http.connections", "8", "--http.per_address", "8"},
       [](ServerProcess& s) { return idle(s.http(), 7, 0); },
       // Each further client takes the place of an idle connection.
       [](ServerProcess& s) { return s.metric("statmill_http_refused_total{reason=\"idle_limit\"}") > 0; }},
      {"Bodies", {}, fill_bodies, is_body_refused},
      {"QueryMemory",
       {"--query.memory_total", "16M"},
       [](ServerProcess& s) { return fill_queries(s, 3, large_query()); },
       [](ServerProcess& s) { return is_refused(s, large_query()); }},
      {"QueryMemoryOfSeries",
       {"--retention", kRetention, "--query.memory_total", "5M"},
       [](ServerProcess& s) { return fill_queries(s, 2, long_query()); },
       [](ServerProcess& s) { return is_refused(s, long_query()); }},
      {"QueryThreads",
       {"--retention", kRetention, "--query.threads", "1", "--query.waiting", "2", "--query.waiting_time",
        "1s"},
       // One works, and 16 may wait for their clients meanwhile.
       [](ServerProcess& s) { return fill_queries(s, 17, long_query()); },
       [](ServerProcess& s) { return is_refused(s, long_query()); }},
      {"LiveStreams",
       {"--http.live", "2"},
       fill_live,
       [](ServerProcess& s) { return live_stream(s, 2).receive().starts_with("HTTP/1.1 503"); }},
      {"LineConnections",
       {"--line.connections", "4"},
       [](ServerProcess& s) { return idle(s.line(), 3, 1); },
       [](ServerProcess& s) {
         return is_closed_at_once(
             s, s.line(), "statmill_line_connections_refused_total{listener=\"tcp\",reason=\"limit\"}");
       }},
      {"AgentConnections",
       {"--agent.connections", "4"},
       [](ServerProcess& s) { return idle(s.agent(), 3, 1); },
       [](ServerProcess& s) {
         return is_closed_at_once(s, s.agent(), "statmill_agent_connections_refused_total{reason=\"limit\"}");
       }},
  };
}

// A GET over a connection that stays open.
std::string get_over(TcpConnection& connection, std::string_view target) {
  EXPECT_TRUE(connection.send("GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  std::string got;
  for (;;) {
    const size_t head = got.find("\r\n\r\n");
    const size_t length = got.find("Content-Length: ");
    if (head != std::string::npos && length < head &&
        got.size() >= head + 4 + std::strtoul(got.c_str() + length + 16, nullptr, 10))
      return got;
    const std::string part = connection.receive();
    if (part.empty()) return got;
    got += part;
  }
}

double accepted_lines(TcpConnection& monitor) {
  constexpr std::string_view kMetric = "\nstatmill_samples_accepted_total{listener=\"tcp\"} ";
  const std::string metrics = get_over(monitor, "/metrics");
  const size_t at = metrics.find(kMetric);
  return at == std::string::npos ? -1 : std::strtod(metrics.c_str() + at + kMetric.size(), nullptr);
}

class SharedLimits : public testing::TestWithParam<Limit> {
 protected:
  // Checks what others do while the limit is full.
  void expect_service() {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(http_get(server_.http(), "/healthz").status, 200);
    const auto ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    std::cout << "/healthz answered after " << ms.count() << " ms\n";
    EXPECT_LT(ms.count(), 2000);
    for (int i = 0; i < 2; ++i) {  // each acknowledgement is a tick that is durable
      EXPECT_TRUE(agent_.send_batch());
      EXPECT_TRUE(agent_.wait_for_ack());
    }
    EXPECT_TRUE(GetParam().is_full(server_)) << "it was not full all the time";
    const double before = accepted_lines(monitor_);
    EXPECT_TRUE(sender_.send("a.line 1\na.line 2\na.line 3\n"));
    sender_.finish_sending();
    EXPECT_EQ(sender_.receive_all(), "");  // the server has read all of it
    EXPECT_EQ(accepted_lines(monitor_), before + 3);
  }

  ServerProcess server_{STATMILL_BIN, GetParam().options};
  TestAgent agent_{7};
  TcpConnection sender_{Descriptor()};
  TcpConnection monitor_{Descriptor()};
};

TEST_P(SharedLimits, OthersGoOnWhileItIsFull) {
  server_.start();
  std::string lines;
  for (int i = 0; i < 60; ++i) lines += "fill." + std::to_string(i) + " 1\n";
  server_.send(lines);
  server_.wait_until_durable();
  monitor_ = TcpConnection::to(server_.http());
  EXPECT_GE(accepted_lines(monitor_), 1);
  ASSERT_TRUE(agent_.connect(server_.agent()));
  sender_ = TcpConnection::to(server_.line());
  ASSERT_TRUE(sender_.send("a.line 0\n"));
  {
    const Connections strangers = GetParam().fill(server_);
    ASSERT_TRUE(wait_until([this] { return GetParam().is_full(server_); }));
    expect_service();
  }
  // The strangers have gone, so others are served again.
  ASSERT_TRUE(wait_until([this] { return http_get(server_.http(), "/healthz").status == 200; }));
  TestAgent late(8);
  EXPECT_TRUE(wait_until([&] { return late.connect(server_.agent()); }));
  EXPECT_EQ(server_.conservation(), "");
  EXPECT_EQ(server_.stop(), 0);
}

INSTANTIATE_TEST_SUITE_P(Limits, SharedLimits, testing::ValuesIn(limits()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace statmill
