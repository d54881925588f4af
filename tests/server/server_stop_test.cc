// Stops the whole server by a signal while 50 agents and other senders are active and queries run, with
// threads stalled at random instructions. In whatever order the threads end, no object is used after its
// destruction, an acknowledged batch is there at the next start, and none counts twice.
//
// SM_STOPS=n stops the server n times, SM_TIER=nightly 200 times, otherwise a few times.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <deque>
#include <latch>
#include <thread>

#include "base/ending_signals.h"
#include "server/server.h"
#include "tests/support/http_client.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"
#include "tests/support/test_agent.h"
#include "tests/support/thread_staller.h"

namespace statmill {
namespace {

constexpr size_t kAgents = 50;
constexpr size_t kAgentThreads = 5;

// The load on a server: several threads that run until the server is gone.
class Load {
 public:
  Load(std::deque<TestAgent>& agents, const Server::Ports& ports) {
    for (size_t part = 0; part < kAgentThreads; ++part)
      start([this, &agents, part, at = ports.agent] { run_agents(agents, part, at); });
    for (const Endpoint& at : {ports.line, ports.graphite})
      start([at] { send_lines(at, "tcp.lines 1 -1\n"); });
    start([this, at = ports.statsd] { send_datagrams(at, "udp.gauge:1|g"); });
    start([this, at = ports.line] { send_datagrams(at, "udp.lines 1\n"); });
    for (const char* target : kTargets) start([this, at = ports.http, target] { query(at, target); });
  }
  ~Load() { end(); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // Returns true if each agent was acknowledged and each kind of query answered since the server started.
  void wait_until_busy() { busy_.wait(); }
  // Ends the threads after the server has stopped.
  void end() {
    is_over_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  template <class Run>
  void start(Run run) {
    threads_.emplace_back(std::move(run));
  }
  void run_agents(std::deque<TestAgent>& agents, size_t part, const Endpoint& at) {
    std::vector<TestAgent*> mine;
    for (size_t i = part; i < agents.size(); i += kAgentThreads) mine.push_back(&agents[i]);
    for (TestAgent* agent : mine) EXPECT_TRUE(agent->connect(at)) << agent->series();
    const auto go_round = [&mine] {
      std::erase_if(mine, [](TestAgent* agent) { return !agent->send_batch(); });
      std::erase_if(mine, [](TestAgent* agent) { return !agent->wait_for_ack(); });
    };
    go_round();
    EXPECT_FALSE(mine.empty());
    busy_.count_down();
    while (!mine.empty()) go_round();
  }
  static std::string repeated(std::string_view line) {
    std::string lines;
    for (int i = 0; i < 20; ++i) lines += line;
    return lines;
  }
  // Sends over many connections, until one is refused.
  static void send_lines(const Endpoint& at, std::string_view line) {
    const std::string lines = repeated(line);
    while (true) {
      TcpConnection connection = TcpConnection::to(at);
      if (!connection.is_connected()) return;
      for (int i = 0; i < 20 && connection.send(lines); ++i) {
      }
      connection.finish_sending();
      connection.receive_all();  // until the server closes it, so that at most one connection is pending
    }
  }
  void send_datagrams(const Endpoint& at, std::string_view line) const {
    UdpSender sender(at);
    while (!is_over_) {
      static_cast<void>(sender.send(line));
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  // Queries until there is no answer.
  void query(const Endpoint& at, const char* target) {
    EXPECT_EQ(http_get(at, target).status, 200) << target;
    busy_.count_down();
    while (http_get(at, target).status == 200) {
    }
  }

  static constexpr std::array kTargets{"/api/v1/query?series=*&from=-20m&until=now&step=10&stats=count",
                                       "/api/v1/status", "/metrics"};

  std::atomic<bool> is_over_{false};  // set by end(), read by all
  std::latch busy_{kAgentThreads + kTargets.size()};
  std::vector<std::thread> threads_;
};

class ServerStop : public testing::Test {
 protected:
  ServerStop() {
    for (size_t i = 0; i < kAgents; ++i) agents_.emplace_back(static_cast<uint8_t>(i));
  }

  ServerConfig config() const {
    ServerConfig config;
    const std::string data = (directory_.path() / "data").string();
    const std::vector<const char*> arguments = {"--store.path",
                                                data.c_str(),
                                                "--store.write_buffer",
                                                "1M",
                                                "--line.listen",
                                                "127.0.0.1:0",
                                                "--line.threads",
                                                "2",
                                                "--graphite.listen",
                                                "127.0.0.1:0",
                                                "--statsd.listen",
                                                "127.0.0.1:0",
                                                "--agent.listen",
                                                "127.0.0.1:0",
                                                "--agent.threads",
                                                "2",
                                                "--http.listen",
                                                "127.0.0.1:0",
                                                "--flush.interval",
                                                "100ms",
                                                "--tick",
                                                "10ms"};
    const auto applied = apply_settings(server_settings(config), {arguments, {}});
    EXPECT_TRUE(applied);
    config.tick_interval = Duration(1);
    return config;
  }
  // Starts a server, waits until all have sent, and signals it to stop, more than once.
  void start_and_stop(uint64_t seed) {
    const std::vector<pid_t> ours = threads_of_process();
    Server server(config(), clock_, log_);
    const auto failed = server.start();
    ASSERT_FALSE(failed) << failed->error.message;
    std::vector<pid_t> servers = threads_of_process();
    std::erase_if(servers, [&ours](pid_t thread) { return std::ranges::count(ours, thread) > 0; });
    servers.push_back(::gettid());
    const ThreadStaller staller(servers, seed);
    Load load(agents_, server.ports());
    load.wait_until_busy();
    ::kill(::getpid(), SIGTERM);
    server.wait_for_signal();
    std::atomic<bool> has_stopped{false};
    std::thread impatient([&has_stopped] {
      // Long before a signal counts as a second one, which ends the process.
      const auto end = std::chrono::steady_clock::now() + kSecondSignalAfter / 10;
      while (!has_stopped && std::chrono::steady_clock::now() < end) {
        ::kill(::getpid(), SIGTERM);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    const auto fault = server.stop();
    has_stopped = true;
    impatient.join();
    EXPECT_FALSE(fault) << fault->error.message;
    load.end();
  }
  // Checks that each stored batch of an agent counts once, and that all acknowledged ones are stored.
  void expect_exact() {
    Server server(config(), clock_, log_);
    ASSERT_FALSE(server.start());
    for (TestAgent& agent : agents_) {
      ASSERT_TRUE(agent.connect(server.ports().agent));
      const HttpReply reply = http_get(server.ports().http, "/api/v1/query?series=" + agent.series() +
                                                                "&from=-2h&until=now&step=1h&stats=count");
      EXPECT_EQ(count_in(reply.body), agent.acknowledged()) << agent.series() << reply.body;
      agent.close();
    }
    EXPECT_FALSE(server.stop());
  }

  // Returns the sum of the numbers in "count":[null,7,...].
  static uint64_t count_in(const std::string& answer) {
    uint64_t sum = 0;
    size_t at = answer.find("\"count\":[");
    if (at == std::string::npos) return 0;
    const size_t end = answer.find(']', at);
    for (at += 9; at < end; at = answer.find_first_of(",]", at) + 1)
      sum += std::strtoull(answer.c_str() + at, nullptr, 10);
    return sum;
  }

  TempDirectory directory_;
  SystemClock clock_;
  Log log_{LogLevel::kError};
  std::deque<TestAgent> agents_;
};

TEST_F(ServerStop, ASignalUnderFullTrafficEndsItCleanlyWithExactData) {
  block_ending_signals();
  const size_t stops = stops_of_environment();
  for (size_t i = 1; i <= stops && !HasFailure(); ++i) start_and_stop(i);
  expect_exact();
}

}  // namespace
}  // namespace statmill
