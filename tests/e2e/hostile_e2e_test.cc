// Hostile queries over HTTP: each limit is met, with its status and its name, and the server answers others
// meanwhile and afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;

constexpr int kSeries = 40;
constexpr int64_t kDay_s = 86'400;
// A subquery of a day around each second of three hours: minutes of work on a single series, without reading
// anything.
constexpr const char* kEndless = "quantile_over_time(0.5, vector(time())[1d:1s])";

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      out += c;
    } else {
      out.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  return out;
}

std::string post_of(const std::string& path, const std::string& form) {
  return "POST " + path +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: "
         "close\r\n"
         "Content-Length: " +
         std::to_string(form.size()) + "\r\n\r\n" + form;
}

class HostileE2e : public testing::Test {
 protected:
  void start(std::vector<std::string> options = {}) {
    server_ = std::make_unique<ServerProcess>(STATMILL_BIN, std::move(options));
    server_->start();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    end_s_ = std::chrono::duration_cast<std::chrono::seconds>(now).count() / 60 * 60;
    std::string lines;
    for (int i = 0; i < kSeries; ++i) {
      for (int64_t t = end_s_ - 600; t < end_s_; t += 10)
        lines += "load;host=" + std::to_string(i) + " " + std::to_string(t) + " 1\n";
    }
    server_->send(lines);
  }
  HttpReply post(const std::string& path, const std::string& form) {
    return http_raw(server_->http(), post_of(path, form));
  }
  // Over a day, with a point each 10 s.
  HttpReply ask_own(const std::string& expression) {
    return post("/api/v1/query", "expr=" + escaped(expression) + "&from=" + std::to_string(end_s_ - kDay_s) +
                                     "&until=" + std::to_string(end_s_) + "&step=10");
  }
  HttpReply ask_prometheus(const std::string& query) {
    return post("/prometheus/api/v1/query_range", "query=" + escaped(query) +
                                                      "&start=" + std::to_string(end_s_ - kDay_s) +
                                                      "&end=" + std::to_string(end_s_) + "&step=10");
  }
  // Sends a query that runs until it is stopped, and does not wait for its answer.
  TcpConnection send_endless(const std::string& query = kEndless) {
    TcpConnection connection = TcpConnection::to(server_->http());
    EXPECT_TRUE(
        connection.send(post_of("/prometheus/api/v1/query_range",
                                "query=" + escaped(query) + "&start=" + std::to_string(end_s_ - 10'800) +
                                    "&end=" + std::to_string(end_s_) + "&step=1")));
    return connection;
  }
  // The same, which reads the stored series first.
  TcpConnection send_endless_heavy() { return send_endless(std::string(kEndless) + " + sum(load)"); }
  size_t listed() {
    return boost::json::parse(server_->get("/api/v1/status/queries")).at("running").as_array().size();
  }
  double refused(const std::string& limit) {
    return server_->metric("statmill_queries_refused_total{limit=\"" + limit + "\"}");
  }
  double canceled(const std::string& by) {
    return server_->metric("statmill_queries_canceled_total{by=\"" + by + "\"}");
  }
  // The server is well, and answers a modest query.
  void expect_service() {
    EXPECT_EQ(http_get(server_->http(), "/healthz").status, 200);
    EXPECT_EQ(http_get(server_->http(), "/prometheus/api/v1/query?query=time()").status, 200);
    EXPECT_EQ(server_->conservation(), "");
  }

  std::unique_ptr<ServerProcess> server_;
  int64_t end_s_ = 0;
};

struct LimitCase {
  std::string label;  // also the end of the setting
  std::string value;
  std::string query;
  int status;
};

TEST_F(HostileE2e, EachLimitOfTheWorkIsNamed) {
  for (const LimitCase& c :
       {LimitCase{"selected", "10", "load", 422}, LimitCase{"series", "10", "load", 422},
        LimitCase{"slots", "100000", "load", 422}, LimitCase{"points", "100000", "load", 422},
        LimitCase{"evaluations", "100000", "max_over_time(load[10m:10s])", 422},
        LimitCase{"memory", "1M", "load", 422},
        LimitCase{"memory", "1M", "max_over_time(vector(time() + (time() + 1))[10m:1s])", 422},
        LimitCase{"memory_total", "1M", "load", 503}}) {
    ASSERT_NO_FATAL_FAILURE(start({"--query." + c.label, c.value}));
    for (const HttpReply& reply : {ask_own(c.query), ask_prometheus(c.query)}) {
      EXPECT_EQ(reply.status, c.status) << c.label << reply.body;
      EXPECT_THAT(reply.body, HasSubstr("(--query." + c.label + "): ")) << c.query;
    }
    EXPECT_EQ(refused(c.label), 2) << c.query;
    expect_service();
  }
}

TEST_F(HostileE2e, AQueryWithoutSeriesEndsAtItsTimeout) {
  ASSERT_NO_FATAL_FAILURE(start({"--query.timeout", "20ms"}));
  for (const HttpReply& reply : {ask_own(kEndless), ask_prometheus(kEndless)}) {
    EXPECT_EQ(reply.status, 503);
    EXPECT_THAT(reply.body, HasSubstr("timeout: the query took longer than 20 ms (--query.timeout"));
    EXPECT_EQ(reply.header("Retry-After"), "1");
  }
  EXPECT_EQ(canceled("timeout"), 2);
  expect_service();
}

TEST_F(HostileE2e, EachLimitOfTheTextIsNamed) {
  ASSERT_NO_FATAL_FAILURE(start());
  struct Case {
    std::string query;
    std::string want;
  };
  for (const Case& c :
       {Case{std::string((64 << 10) + 1, 'x'), "query has more than 65536 bytes"},
        Case{std::string((64 << 10) + 1, '('), "query has more than 65536 bytes"},
        Case{std::string(65, '(') + "1" + std::string(65, ')'), "query is nested deeper than 64 levels"},
        Case{repeated("-", 65) + "1", "query is nested deeper than 64 levels"},
        Case{repeated("1+", 500) + "1", "query has more than 1000 parts"},
        Case{"load{" + repeated("a=\"b\",", 1000) + "}", "query has more than 1000 parts"}}) {
    for (const HttpReply& reply : {ask_own(c.query), ask_prometheus(c.query)}) {
      EXPECT_EQ(reply.status, 400) << reply.body;
      EXPECT_THAT(reply.body, HasSubstr("parse error: " + c.want));
    }
  }
  const HttpReply points =
      http_get(server_->http(), "/prometheus/api/v1/query_range?query=1&start=0&end=11001&step=1");
  EXPECT_EQ(points.status, 400);
  EXPECT_THAT(points.body, HasSubstr("exceeded maximum resolution of 11,000 points per timeseries"));
  EXPECT_EQ(post("/api/v1/query", "expr=" + std::string(256 << 10, 'x')).status, 413);
  expect_service();
}

TEST_F(HostileE2e, QueriesThatHoldAllThreadsHoldNothingElseAndEndWithTheirClients) {
  ASSERT_NO_FATAL_FAILURE(start({"--query.threads", "1", "--query.waiting", "1", "--query.timeout", "1h",
                                 "--query.waiting_time", "1h"}));
  TcpConnection running = send_endless();
  ASSERT_TRUE(server_->wait_for_metric("statmill_queries_running", 1));
  TcpConnection waiting = send_endless();
  ASSERT_TRUE(server_->wait_for_metric("statmill_queries_waiting", 1));
  EXPECT_EQ(listed(), 2U);
  const HttpReply third = ask_prometheus("load");
  EXPECT_EQ(third.status, 503);
  EXPECT_EQ(third.header("Retry-After"), "1");
  EXPECT_EQ(refused("waiting"), 1);
  EXPECT_EQ(http_get(server_->http(), "/healthz").status, 200);
  EXPECT_EQ(http_post(server_->http(), "/api/v1/lines", "posted 1\n").status, 200);
  waiting.close();
  EXPECT_TRUE(wait_until([this] { return canceled("client") == 1; }));
  EXPECT_EQ(listed(), 1U);
  running.abort();
  EXPECT_TRUE(wait_until([this] { return canceled("client") == 2; }));
  EXPECT_TRUE(wait_until([this] { return listed() == 0; }));
  EXPECT_EQ(ask_prometheus("load").status, 200);
  expect_service();
}

TEST_F(HostileE2e, QueriesOnAllThreadsHoldNothingElseAndEndWithTheServer) {
  constexpr int kThreads = 2;  // for small ones, and as many for heavy ones
  ASSERT_NO_FATAL_FAILURE(start({"--query.threads", std::to_string(kThreads), "--query.heavy", "1000",
                                 "--query.timeout", "1h", "--query.waiting_time", "1h"}));
  std::vector<TcpConnection> clients;
  for (int i = 0; i <= kThreads; ++i) {  // one more than runs
    clients.push_back(send_endless_heavy());
    ASSERT_TRUE(server_->wait_for_metric("statmill_queries_running", std::min(i + 1, kThreads)));
  }
  ASSERT_TRUE(server_->wait_for_metric("statmill_queries_waiting", 1));
  for (int i = 0; i <= kThreads; ++i) clients.push_back(send_endless());
  ASSERT_TRUE(server_->wait_for_metric("statmill_queries_running", 2 * kThreads));
  ASSERT_TRUE(server_->wait_for_metric("statmill_queries_waiting", 2));
  EXPECT_EQ(listed(), clients.size());
  EXPECT_EQ(http_get(server_->http(), "/healthz").status, 200);
  EXPECT_EQ(http_get(server_->http(), "/readyz").status, 200);
  EXPECT_EQ(http_post(server_->http(), "/api/v1/lines", "posted 1\n").status, 200);
  clients.back().abort();
  EXPECT_TRUE(wait_until([this] { return canceled("client") == 1; }));
  clients.front().abort();
  EXPECT_TRUE(wait_until([this] { return canceled("client") == 2; }));
  EXPECT_TRUE(server_->wait_for_metric("statmill_queries_running", 2 * kThreads)) << "another one runs";
  EXPECT_EQ(server_->stop(), 0) << "long before their timeout";
  for (size_t i = 1; i + 1 < clients.size(); ++i)
    EXPECT_THAT(clients[i].receive_all(), testing::Not(HasSubstr(" 200 "))) << i;
}

TEST_F(HostileE2e, ExpensivePatternsAreAnsweredOrRefusedBeforeTheTimeout) {
  ASSERT_NO_FATAL_FAILURE(start());
  std::string lines;
  for (int i = 0; i < 300; ++i)  // names that nearly match
    lines += std::string(1800, 'a') + std::to_string(i) + ";host=" + std::string(200, 'a') + "c 1\n";
  server_->send(lines);
  const std::string stars = repeated("*a", 200) + "b";
  const std::string sets = repeated("*[ab]?", 150) + "z";
  for (const std::string& glob : {stars, sets, "{" + repeated("*a", 50) + "b," + repeated("*a", 60) + "c}"}) {
    EXPECT_EQ(http_get(server_->http(), "/api/v1/query?series=" + escaped(glob)).status, 200) << glob;
    EXPECT_EQ(http_get(server_->http(), "/api/v1/series?match=" + escaped(glob)).status, 200) << glob;
    EXPECT_EQ(ask_prometheus("{__graphite__=\"" + glob + "\"}").status, 200) << glob;
  }
  EXPECT_EQ(post("/api/v1/query", "series=" + escaped(repeated("*a", 600))).status, 422) << "too long";
  EXPECT_EQ(ask_own("{__graphite__=\"" + repeated("{a,b}", 7) + "\"}").status, 422) << "128 globs";
  for (const std::string& regex : {repeated("(a*)*", 30) + "b", std::string("(a|aa)+b"),
                                   repeated("a?", 100) + repeated("a", 100), std::string("(.*a){20}b")}) {
    EXPECT_EQ(ask_own("{host=~\"" + regex + "\"}").status, 200) << regex;
    EXPECT_EQ(ask_prometheus("{__name__=~\"" + regex + "\"}").status, 200) << regex;
  }
  for (const std::string& regex : {repeated(".{900}", 5), repeated("(.{30}){30}", 5)}) {
    const HttpReply reply = ask_own("{host=~\"" + regex + "\"}");
    EXPECT_EQ(reply.status, 400) << regex;
    EXPECT_THAT(reply.body, HasSubstr("regular expression of host: it needs more than 64 KiB"));
  }
  EXPECT_EQ(canceled("timeout"), 0);
  expect_service();
}

}  // namespace
}  // namespace statmill
