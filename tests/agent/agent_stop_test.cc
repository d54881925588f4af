// Stops the whole agent by a signal at any moment while it collects, relays and sends, with threads stalled
// at any instruction. Whatever the order of destruction, nothing is used after its end, and the server gets
// each batch once over all starts.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <latch>
#include <random>
#include <thread>

#include "agent/agent.h"
#include "base/ending_signals.h"
#include "tests/support/agent_server.h"
#include "tests/support/sockets.h"
#include "tests/support/temp_directory.h"
#include "tests/support/thread_staller.h"

namespace statmill {
namespace {

class AgentStop : public testing::Test {
 protected:
  AgentConfig config() const {
    const std::string server = server_.endpoint().text();
    const std::string spool = directory_.path() / "spool";
    const std::vector<const char*> arguments = {
        "--server",      server.c_str(), "--spool.path", spool.c_str(), "--line.socket", socket_.c_str(),
        "--http.listen", "127.0.0.1:0",  "--agent.host", "h",           "--collectors",  "load"};
    auto command = parse_agent_command({arguments, {}});
    EXPECT_TRUE(command);
    command->config.interval = Duration(20);
    return command->config;
  }

  // Receives what the agent sends until it has ended.
  void serve(std::latch& busy) {
    EXPECT_TRUE(server_.accept());
    server_.lines_until("host.load.average_1m ");
    busy.count_down();
    server_.all_lines();
  }
  // Sends samples to the relay as long as it accepts any.
  void send_samples(const std::latch& busy, const std::atomic<bool>& has_ended) const {
    busy.wait();
    const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_.copy(address.sun_path, sizeof(address.sun_path) - 1);
    const std::string line = "relayed 1\n";
    while (!has_ended) {
      static_cast<void>(::sendto(socket.get(), line.data(), line.size(), MSG_DONTWAIT,
                                 reinterpret_cast<const sockaddr*>(&address), sizeof(address)));
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  // Stalls the main thread and all threads that did not exist before, and asks the agent to stop, again and
  // again, but long before a signal counts as a second one, which ends the process.
  static void stop(uint64_t seed, std::vector<pid_t> before, const std::atomic<bool>& has_ended) {
    std::vector<pid_t> agents = threads_of_process();
    std::erase_if(
        agents, [&](pid_t thread) { return thread != ::getpid() && std::ranges::count(before, thread) > 0; });
    const ThreadStaller staller(agents, seed);
    std::mt19937_64 random(seed);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 50'000));
    const auto end = std::chrono::steady_clock::now() + kSecondSignalAfter / 10;
    while (!has_ended) {
      if (std::chrono::steady_clock::now() < end) ::kill(::getpid(), SIGTERM);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  // A signal sent after the agent has ended would end the next one at its start.
  static void drop_pending_signal() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    const timespec no_wait{};
    while (::sigtimedwait(&signals, nullptr, &no_wait) > 0) continue;
  }
  void start_and_stop(uint64_t seed) {
    std::latch busy(1);
    std::latch all_started(1);
    std::atomic<bool> has_ended{false};
    std::vector<pid_t> before;
    std::thread server([&] { serve(busy); });
    std::thread sender([&] { send_samples(busy, has_ended); });
    std::thread stopper([&] {
      all_started.wait();
      busy.wait();
      stop(seed, before, has_ended);
    });
    before = threads_of_process();
    all_started.count_down();
    {
      Agent agent(config(), log_, clock_);
      EXPECT_FALSE(agent.run());
    }
    has_ended = true;
    for (std::thread* thread : {&server, &sender, &stopper}) thread->join();
    drop_pending_signal();
  }

  TempDirectory directory_;
  const std::string socket_ = directory_.path() / "lines";
  AgentServer server_;
  SystemClock clock_;
  Log log_{LogLevel::kError};
};

TEST_F(AgentStop, ASignalAtAnyMomentStopsItCleanlyWithoutLoss) {
  block_ending_signals();
  const size_t stops = stops_of_environment();
  for (size_t i = 1; i <= stops && !HasFailure(); ++i) start_and_stop(i);
  EXPECT_EQ(server_.lines_lost(), 0U);
}

}  // namespace
}  // namespace statmill
