// Scrapes by the server, of real targets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

using testing::HasSubstr;

std::string targets(const std::string& address, const std::string& labels = "") {
  return R"([{"targets": [")" + address +
         R"("], "labels": {"job": "source", "__scrape_interval__": "200ms")" + labels + "}}]";
}

// One server scrapes another, and is killed in the midst of it.
TEST(ScrapeE2e, CountersAreExactThoughTheServerIsKilled) {
  ServerProcess source(STATMILL_BIN);
  source.start();
  const TempDirectory directory;
  const std::string file = directory.write("source.json", targets(source.http().text()));
  ServerProcess server(STATMILL_BIN, {"--scrape.targets", file});
  server.start();
  const std::string name =
      "statmill_samples_accepted_total;instance=" + source.http().text() + ";job=source;listener=http";
  const auto total = [&] {
    const auto totals = server.totals("statmill_samples_accepted_total;*listener=http");
    const auto found = totals.find(name);
    return found == totals.end() ? -1 : found->second.sum;
  };
  ASSERT_TRUE(wait_until([&] { return total() >= 0; }));
  server.wait_until_durable();  // from here on it is known what the counter had
  constexpr int kPosts = 30;
  for (int i = 0; i < kPosts; ++i) {
    ASSERT_EQ(http_post(source.http(), "/api/v1/lines", "*n 1\n*n 1\n*n 1\n").status, 200);
    if (i % 10 != 5) continue;
    ASSERT_TRUE(
        server.wait_for_metric("statmill_scrapes_total", server.metric("statmill_scrapes_total") + 1));
    server.kill();
    server.start();
  }
  EXPECT_TRUE(wait_until([&] { return total() == 3.0 * kPosts; }))
      << total() << "\n"
      << server.get("/prometheus/api/v1/targets");
  const double scrapes = server.metric("statmill_scrapes_total");
  EXPECT_TRUE(server.wait_for_metric("statmill_scrapes_total", scrapes + 3));
  EXPECT_EQ(total(), 3.0 * kPosts);
  EXPECT_EQ(server.conservation(), "");

  EXPECT_EQ(server.stop(), 0);
}

TEST(ScrapeE2e, WhatIsScrapedCanBeSeen) {
  ServerProcess source(STATMILL_BIN);
  source.start();
  const TempDirectory directory;
  const std::string file = directory.write(
      "source.json", targets(source.http().text(), R"(, "dc": "eu", "__keep__": "statmill_series")"));
  ServerProcess server(STATMILL_BIN, {"--scrape.targets", file});
  server.start();
  const std::string labels = ";dc=eu;instance=" + source.http().text() + ";job=source";
  EXPECT_TRUE(wait_until([&] { return server.totals("up;*").count("up" + labels) == 1; }));
  EXPECT_EQ(server.totals("statmill_*").count("statmill_series" + labels), 1U);
  EXPECT_EQ(server.totals("statmill_*").size(), 1U);
  EXPECT_GT(server.totals("scrape_samples_scraped;*").begin()->second.sum, 50);
  constexpr const char* kSelector = "/prometheus/api/v1/query?query=statmill_series";
  EXPECT_THAT(server.get(kSelector), HasSubstr(R"("dc":"eu")"));
  const std::string seen = server.get("/prometheus/api/v1/targets?state=active");
  EXPECT_THAT(seen, HasSubstr("\"scrapeUrl\":\"http://" + source.http().text() + "/metrics\""));
  EXPECT_THAT(seen, HasSubstr(R"("health":"up")"));
  source.stop();
  EXPECT_TRUE(wait_until([&] {
    return server.get("/prometheus/api/v1/targets").find(R"("health":"down")") != std::string::npos;
  }));
  EXPECT_THAT(server.get("/prometheus/api/v1/targets"), HasSubstr("Connection refused"));
  EXPECT_THAT(server.get(kSelector), HasSubstr(R"("result":[])")) << "its series ended with it";
  EXPECT_THAT(server.get("/prometheus/api/v1/query?query=up"), HasSubstr(R"("dc":"eu")"));
  // The newest second has a scrape that found nobody.
  EXPECT_TRUE(wait_until([&] {
    const SeriesTotals up = server.totals("up;*").begin()->second;
    return up.sum < up.count;
  }));
  EXPECT_GE(server.metric("statmill_scrapes_failed_total"), 1);
  EXPECT_EQ(server.conservation(), "");
}

// Debian's python3-prometheus-client, which answers in OpenMetrics. SIGUSR1 counts more.
constexpr const char* kTarget = R"py(
import signal, sys
from wsgiref.simple_server import make_server, WSGIRequestHandler
from prometheus_client import Counter, Gauge, Histogram, Summary, Info, Enum, make_wsgi_app
requests = Counter('requests', 'Requests "quoted"\nin two lines.', ['path', 'name'])
level = Gauge('level', 'A level.')
latency = Histogram('latency_seconds', 'Latency.', buckets=(0.1, 1))
size = Summary('size_bytes', 'Sizes.')
Info('build', 'The build.').info({'version': '1 2'})
Enum('state', 'A state.', states=['on', 'off']).state('off')
def count(*args):
    requests.labels('/a b', 'x=y;z').inc(1.25)
    for v in (0.05, 0.5, 5): latency.observe(v)
    size.observe(7)
    level.set(-2.5)
count()
signal.signal(signal.SIGUSR1, count)
class Quiet(WSGIRequestHandler):
    def log_message(self, *args): pass
server = make_server('127.0.0.1', 0, make_wsgi_app(), handler_class=Quiet)
print('ready address=127.0.0.1:%d' % server.server_address[1], file=sys.stderr, flush=True)
server.serve_forever()
)py";

TEST(ScrapeE2e, TheClientOfPython) {
  if (run_program({"/usr/bin/python3", {"-c", "import prometheus_client"}, {}}).status != 0)
    GTEST_SKIP() << "python3-prometheus-client is not installed";
  Process target({"/usr/bin/python3", {"-c", kTarget}, {}});
  const auto ready = target.wait_for_line("ready");
  ASSERT_TRUE(ready) << target.standard_error();
  const TempDirectory directory;
  const std::string address = log_value(*ready, "address");
  const std::string file = directory.write("python.json", targets(address));
  ServerProcess server(STATMILL_BIN, {"--scrape.targets", file});
  server.start();
  const std::string labels = ";instance=" + address + ";job=source";
  const std::string requests =
      "requests_total;%6Eame=x=y%3Bz;instance=" + address + ";job=source;path=/a%20b";
  ASSERT_TRUE(wait_until([&] { return server.totals("requests_total;*").count(requests) == 1; }));
  constexpr int kCounts = 20;
  for (int i = 0; i < kCounts; ++i) {
    target.signal(SIGUSR1);
    if (i % 5 == 0) {
      const double scrapes = server.metric("statmill_scrapes_total");
      ASSERT_TRUE(server.wait_for_metric("statmill_scrapes_total", scrapes + 1));
    }
  }
  const auto sum = [&](const std::string& name) {
    const auto totals = server.totals("*");
    const auto found = totals.find(name);
    return found == totals.end() ? -1 : found->second.sum;
  };
  // Signals of one number that come at the same time are one.
  const double counted = [&] {
    double before = -1;
    double now = sum(requests);
    for (int same = 0; same < 3; before = now) {
      const double scrapes = server.metric("statmill_scrapes_total");
      EXPECT_TRUE(server.wait_for_metric("statmill_scrapes_total", scrapes + 1));
      now = sum(requests);
      same = now == before ? same + 1 : 0;
    }
    return now / 1.25;
  }();
  EXPECT_GE(counted, 4);
  EXPECT_LE(counted, kCounts);
  EXPECT_EQ(sum("latency_seconds_count" + labels), 3 * counted);
  EXPECT_EQ(sum("latency_seconds_bucket;instance=" + address + ";job=source;le=1.0"), 2 * counted);
  EXPECT_EQ(sum("latency_seconds_bucket;instance=" + address + ";job=source;le=+Inf"), 3 * counted);
  EXPECT_EQ(sum("size_bytes_sum" + labels), 7 * counted);
  EXPECT_GE(server.totals("level;*").at("level" + labels).count, 1);
  EXPECT_EQ(server.totals("build_info;*").count("build_info" + labels + ";version=1%202"), 1U);
  EXPECT_EQ(server.totals("state;*").size(), 2U);
  EXPECT_EQ(
      server.get("/prometheus/api/v1/metadata?metric=requests_total"),
      R"({"status":"success","data":{"requests_total":[{"type":"counter","help":"Requests \"quoted\" in two lines.","unit":""}]}})"
      "\n");
  EXPECT_EQ(server.conservation(), "");
  const std::string types = server.get("/prometheus/api/v1/query?query=rate(requests_total[1m])");
  EXPECT_THAT(types, HasSubstr("\"path\":\"/a b\""));
  EXPECT_THAT(types, HasSubstr("\"name\":\"x=y;z\""));
}

}  // namespace
}  // namespace statmill
