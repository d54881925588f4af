// statsd's unix sockets, events and service checks, and the clients of Python and npm, which are skipped
// where they are not installed. Sums are exact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

// Sends 1000 of each to the port, over UDP and TCP. The pipelines keep the datagrams below what any kernel
// keeps.
constexpr const char* kClient = R"(
import sys, statsd
port = int(sys.argv[1])
for client in (statsd.StatsClient('127.0.0.1', port, prefix='udp'), statsd.TCPStatsClient('127.0.0.1', port, prefix='tcp')):
    for i in range(10):
        with client.pipeline() as pipe:
            for j in range(100):
                pipe.incr('hits', 3)
                pipe.timing('latency', j + 0.25)
                pipe.gauge('depth', j)
                pipe.set('users', 'user%d' % j)
    if hasattr(client, 'close'): client.close()
)";

// Sends 2000 counts as datagrams and 2000 in frames.
constexpr const char* kSockets = R"(
import socket, struct, sys
datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
datagrams.connect(sys.argv[1])
for i in range(200):
    datagrams.send(b'\n'.join(b'local.datagrams:%d|c' % (10 * i + j) for j in range(10)))
stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
stream.connect(sys.argv[2])
for i in range(200):
    lines = b''.join(b'local.frames:%d|c\n' % (10 * i + j) for j in range(10))
    stream.sendall(struct.pack('<I', len(lines)) + lines)
stream.shutdown(socket.SHUT_WR)
assert stream.recv(1) == b''
)";

class StatsdE2e : public testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  void TearDown() override {
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0) << server_.process().standard_error();
  }
  double accepted(const std::string& listener) const {
    return server_.metric("statmill_samples_accepted_total{listener=\"" + listener + "\"}");
  }
  bool wait_for_received(const std::string& listener, double least) const {
    return server_.wait_for_metric("statmill_samples_received_total{listener=\"" + listener + "\"}", least);
  }
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }

  TempDirectory directory_;
  ServerProcess server_{STATMILL_BIN,
                        {"--statsd.listen", "127.0.0.1:0", "--statsd.socket", path("datagrams"),
                         "--statsd.stream_socket", path("streams"), "--statsd.events", "3"}};
};

TEST_F(StatsdE2e, AcceptsWhatPythonsClientSends) {
  if (run_program({"/usr/bin/python3", {"-c", "import statsd"}, {}}).status != 0)
    GTEST_SKIP() << "python3-statsd is not installed";
  const std::string port = std::to_string(server_.listener("statsd").port);
  const Ended sent = run_program({"/usr/bin/python3", {"-c", kClient, port}, {}});
  ASSERT_EQ(sent.status, 0) << sent.said;
  ASSERT_TRUE(wait_for_received("statsd_tcp", 4000));
  ASSERT_TRUE(wait_for_received("statsd_udp", 4000));
  for (const std::string transport : {"udp", "tcp"}) {
    auto totals = server_.totals(transport + ".*");
    EXPECT_EQ(totals[transport + ".hits"].sum, 3000) << transport;
    EXPECT_EQ(totals[transport + ".latency"].count, 1000) << transport;
    EXPECT_EQ(totals[transport + ".latency"].sum, 10 * (99 * 100 / 2 + 25)) << transport;
    EXPECT_EQ(totals[transport + ".depth"].sum, 10 * 99 * 100 / 2) << transport;
  }
}

// Global tags, bare tags and values that it cleans, in datagrams that it fills itself.
TEST_F(StatsdE2e, AcceptsWhatHotShotsSends) {
  if (!std::filesystem::exists(STATMILL_NODE_MODULES "/hot-shots"))
    GTEST_SKIP() << STATMILL_NODE_MODULES " has no package hot-shots: the page is not packed";
  constexpr std::string_view kScript = R"(
const StatsD = require('hot-shots');
const client = new StatsD({ host: '127.0.0.1', port: Number(process.argv.at(-1)), prefix: 'hs.',
  globalTags: { env: 'test', team: 'a b' }, maxBufferSize: 1000, errorHandler: (error) => { throw error; } });
for (let i = 0; i < 50; ++i) {
  client.increment('hits');
  client.increment('hits', 4, { path: '/a|b', x: undefined });
  client.increment('hits', 3, ['bare']);
  client.decrement('hits', 2);
  client.gauge('level', -3.5);
  client.gaugeDelta('level', 2);
  client.histogram('size', 12.25, { route: '/x,y' });
  client.distribution('dist', 7);
  client.timing('took', 33.5);
  client.set('users', 'u:1');
}
client.event('deploy', 'line 1\nline 2 |x', { priority: 'low', alert_type: 'info' });
client.check('disk', client.CHECKS.WARNING, { hostname: 'h1', message: 'full | 90%' }, { dev: 'sda' });
client.close((error) => { if (error) throw error; });
)";
  const std::string port = std::to_string(server_.listener("statsd").port);
  const Ended sent = run_program(
      {"env",
       {std::string("NODE_PATH=") + STATMILL_NODE_MODULES, "node", "-e", std::string(kScript), port},
       {}});
  ASSERT_EQ(sent.status, 0) << sent.said;
  ASSERT_TRUE(wait_for_received("statsd_udp", 50 * 10 + 2));
  const auto totals = server_.totals("hs.*");
  EXPECT_EQ(totals.at("hs.hits;env=test;team=a%20b").sum, -50);
  EXPECT_EQ(totals.at("hs.hits;env=test;path=/a_b;team=a%20b;x=undefined").sum, 200);
  EXPECT_EQ(totals.at("hs.hits;bare=true;env=test;team=a%20b").sum, 150);
  EXPECT_EQ(totals.at("hs.level;env=test;team=a%20b").sum, -3925) << "-3.5 is a step, as is +2";
  EXPECT_EQ(totals.at("hs.size;env=test;route=/x_y;team=a%20b").sum, 50 * 12.25);
  EXPECT_EQ(totals.at("hs.dist;env=test;team=a%20b").sum, 350);
  EXPECT_EQ(totals.at("hs.took;env=test;team=a%20b").sum, 50 * 33.5);
  EXPECT_EQ(totals.at("hs.disk;dev=sda;env=test;host=h1;team=a%20b").sum, 1);
  EXPECT_THAT(server_.get("/api/v1/events?from=-1h"), testing::HasSubstr("hs.deploy"));
}

TEST_F(StatsdE2e, AcceptsDatagramsAndFramesAtUnixSockets) {
  if (run_program({"python3", {"--version"}, {}}).status != 0) GTEST_SKIP() << "python3 is not installed";
  const Ended sent = run_program({"python3", {"-c", kSockets, path("datagrams"), path("streams")}, {}});
  ASSERT_EQ(sent.status, 0) << sent.said;
  ASSERT_TRUE(wait_for_received("statsd_unix", 2000));
  EXPECT_EQ(accepted("statsd_unix"), 2000);
  EXPECT_EQ(accepted("statsd_stream"), 2000);
  const auto totals = server_.totals("local.*");
  EXPECT_EQ(totals.at("local.datagrams").sum, 1999 * 2000 / 2);
  EXPECT_EQ(totals.at("local.frames").sum, 1999 * 2000 / 2);
}

TEST_F(StatsdE2e, StoresEventsAndChangesOfServiceChecks) {
  const Endpoint statsd = server_.listener("statsd");
  ServerProcess::send_to(statsd,
                         "_e{12,14}:deploy 1.4.2|line 1\\nline 2|d:1700000000|h:web1|t:info|#team:a\n"
                         "_sc|disk|0\n_sc|disk|2|#dev:sda|m:full\n_sc|disk|2|#dev:sda|m:full\n");
  EXPECT_EQ(accepted("statsd_tcp"), 4);
  const auto events_page = [&] { return server_.get("/api/v1/events?from=1600000000"); };
  std::string events = events_page();
  EXPECT_THAT(events,
              testing::HasSubstr(
                  "\"title\":\"deploy 1.4.2\",\"text\":\"line 1\\u000aline 2\",\"tags\":[\"alert:info\","
                  "\"team:a\"]"));
  EXPECT_THAT(events, testing::HasSubstr("host=web1"));
  EXPECT_THAT(events, testing::HasSubstr("\"title\":\"disk;dev=sda is critical\",\"text\":\"full\""));
  EXPECT_THAT(events, testing::Not(testing::HasSubstr("disk is ok")))
      << "a check is ok before its first status";
  EXPECT_EQ(server_.totals("disk;*").at("disk;dev=sda").sum, 4);
  std::string many;
  for (int i = 0; i < 50; ++i) many += "_e{1,1}:x|y\n";
  ServerProcess::send_to(statsd, many);
  const double limited =
      server_.metric("statmill_samples_refused_total{listener=\"statsd_tcp\",reason=\"state_limit\"}");
  EXPECT_GE(limited, 50 - 6) << "three in a second, in two seconds at most";
  EXPECT_EQ(server_.metric("statmill_statsd_events_total"), 2 + 50 - limited);
  ASSERT_EQ(server_.stop(), 0);
  server_.start();
  events = events_page();
  EXPECT_THAT(events, testing::HasSubstr("deploy 1.4.2")) << "after a restart";
}

}  // namespace
}  // namespace statmill
