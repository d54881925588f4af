// The n-th allocation fails in a server, an agent or the command line: the program ends at once with the
// documented exit status and log line, and leaves nothing half done. The next start finds whole data, and
// each batch of an agent counts once.
//
// A test tries 25 points of failure, spread over the whole run of a program. SM_TIER=nightly tries 2,000,
// which take longer than ctest's limit for a test; MEMORY_POINTS=n tries n.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>

#include "base/exit_code.h"
#include "tests/e2e/agent_host.h"
#include "tests/e2e/agent_ledger.h"
#include "tests/e2e/server_process.h"
#include "tests/support/chaos_proxy.h"
#include "tests/support/sanitized.h"

namespace statmill {
namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

// After this many points a new world starts, because a spool keeps its batches only for some minutes.
constexpr int kPointsPerWorld = 50;
constexpr int kOutOfMemory = static_cast<int>(ExitCode::kOutOfMemory);
constexpr const char* kLine = ": out of memory: an allocation failed, the process ends\n";

// How a program ended that may have reached its failing allocation.
enum class End { kOrderly, kNoMemory };

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Returns true if the program ended orderly, or for lack of memory with exactly one line about it.
bool is_clean(int status, const std::string& said) {
  return (status == 0 || status == kOutOfMemory) &&
         count_of(said, kLine) == (status == kOutOfMemory ? 1U : 0U);
}

// Returns how the program ended; fails the test if it did not end cleanly.
End end_of(int status, const std::string& said, const std::string& context) {
  EXPECT_TRUE(is_clean(status, said)) << context << ": status " << status << "\n" << said;
  return status == kOutOfMemory ? End::kNoMemory : End::kOrderly;
}

int points_wanted(int usual) {
  if (const char* wanted = std::getenv("MEMORY_POINTS")) return std::atoi(wanted);
  const char* tier = std::getenv("SM_TIER");
  return tier != nullptr && std::string_view(tier) == "nightly" ? 2000 : usual;
}

class MemoryE2e : public testing::Test {
 protected:
  void SetUp() override {
    if (kIsSanitized) GTEST_SKIP() << "sanitizers have their own operator new";
    const char* wanted = std::getenv("SM_SEED");
    const uint64_t seed = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : std::random_device()();
    std::printf("SM_SEED=%lu\n", seed);
    random_.seed(seed);
  }
  Environment failing(uint64_t nth) const {
    return {{"LD_PRELOAD", STATMILL_FAILING_NEW},
            {"FAILING_NEW", std::to_string(nth)},
            {"FAILING_NEW_COUNT", counted_.string()}};
  }
  // The number of allocations of the last program that ended orderly under failing().
  uint64_t allocations() const {
    uint64_t count = 0;
    std::ifstream(counted_) >> count;
    EXPECT_GT(count, 0U) << "the library was not preloaded";
    return count;
  }
  // Expects that a program that ended orderly made fewer than `nth` allocations.
  void expect_not_reached(uint64_t nth) const {
    EXPECT_LT(allocations(), nth) << "an allocation failed, and the program went on";
  }
  // Returns the i-th of `points` allocation numbers, spread evenly over a run of `all` allocations and random
  // within their intervals.
  uint64_t point(uint64_t i, uint64_t points, uint64_t all) {
    return 1 + (i * all + random_() % all) / points;
  }

  std::mt19937_64 random_;
  const TempDirectory directory_;
  const std::filesystem::path counted_ = directory_.path() / "count";
};

// A server and an agent that sends it batches. One of them can run under failing().
class World {
 public:
  World() : proxy_(1) {
    proxy_.stop_faults();
    // No process listens on this port; the agent gets the server's when that starts.
    proxy_.forward_to(endpoint_of("127.0.0.1:" + std::to_string(unused_port())));
  }

  // Runs the server until it ends: it starts, accepts samples of all kinds, answers, flushes, deletes and
  // stops.
  End run_server(const Environment& environment, std::mt19937_64& random) {
    if (!host_.is_up()) host_.start();
    if (server_.try_start(0, 0, environment)) {
      proxy_.forward_to(server_.agent());
      host_.feed(random, 100);
      static_cast<void>(
          http_post(server_.http(), "/api/v1/lines", "own.gauge 1\n*own.event 2\n%own.histogram 3\n"));
      for (const char* target : {"/api/v1/query?series=own.*&from=-1m&stats=count,p50", "/metrics",
                                 "/api/v1/status", "/api/v1/series?series=*", "/api/v1/status/agents"})
        static_cast<void>(http_get(server_.http(), target));
      static_cast<void>(server_.cli({"flush"}));
      static_cast<void>(http_post(server_.http(), "/api/v1/lines", "own.doomed 1\n"));
      static_cast<void>(server_.cli({"delete", "own.doomed"}));
      server_.process().signal_if_running(SIGTERM);
    }
    const int status = server_.process().wait().value_or(-1000);
    return end_of(status, server_.process().standard_error(), "server");
  }

  // Runs the agent until it ends, on the same spool each time.
  End run_agent(const Environment& environment, std::mt19937_64& random) {
    if (!is_server_up_) start_server();
    host_.set_environment(environment);
    if (host_.try_start()) {
      for (int i = 0; i < 5; ++i) host_.feed(random, 100);
    }
    const int status = host_.stop();
    return end_of(status, host_.said_last(), "agent");
  }

  // Runs both without failures. Expects that everything in the spool is at the server once, and that the
  // store is consistent.
  void expect_delivery() {
    host_.set_environment({});
    if (!is_server_up_) start_server();
    Spooled spooled;
    for (int round = 0; round < 5; ++round) {
      if (!host_.is_up()) host_.start();
      const auto deadline = std::chrono::steady_clock::now() + kProcessTimeout;
      while (!account_of_host(server_, host_.name()).is_connected &&
             std::chrono::steady_clock::now() < deadline) {
      }
      EXPECT_EQ(host_.stop(), 0) << host_.said();
      spooled = read_spool(host_.spool());
      if (account_of(server_, spooled.agent).durable == static_cast<double>(spooled.batches)) break;
    }
    EXPECT_EQ(difference(server_, spooled, host_.name()), "") << host_.said();
    EXPECT_GT(spooled.batches, 0U);
    EXPECT_EQ(server_.conservation(), "");
    EXPECT_EQ(server_.stop(), 0);
    is_server_up_ = false;
    expect_consistent();
  }
  // Expects that `statmill check` finds no fault. Requires that no server runs.
  void expect_consistent() {
    const Ended checked =
        run_program({STATMILL_BIN "/statmill", {"check", (server_.data() / "data").string()}, {}});
    EXPECT_EQ(checked.status, 0) << checked.out << checked.said;
  }

 private:
  void start_server() {
    server_.start();
    proxy_.forward_to(server_.agent());
    is_server_up_ = true;
  }

  ChaosProxy proxy_;
  ServerProcess server_{STATMILL_BIN, {"--tick", "10ms", "--flush.interval", "100ms"}};
  AgentHost host_{STATMILL_BIN, "oom", {proxy_.endpoint()}, {"--interval", "100ms"}};
  bool is_server_up_ = false;
};

TEST_F(MemoryE2e, AServerEndsCleanlyAtAnyAllocationThatFails) {
  const int points = points_wanted(25);
  int ended = 0;
  for (int begin = 0; begin < points && !HasFailure(); begin += kPointsPerWorld) {
    World world;
    for (int i = 0; i < 2; ++i) {  // the first run also creates the store
      ASSERT_EQ(world.run_server(failing(0), random_), End::kOrderly);
    }
    for (int i = begin; i < std::min(points, begin + kPointsPerWorld) && !HasFailure(); ++i) {
      const uint64_t all = allocations();
      const uint64_t nth = point(static_cast<uint64_t>(i), static_cast<uint64_t>(points), all);
      SCOPED_TRACE("allocation " + std::to_string(nth) + " of some " + std::to_string(all));
      if (world.run_server(failing(nth), random_) == End::kNoMemory) {
        ++ended;
      } else {
        expect_not_reached(nth);
      }
      if (i % 5 == 0) world.expect_consistent();
    }
    world.expect_delivery();
  }
  std::printf("%d of %d runs ended for lack of memory\n", ended, points);
  EXPECT_GT(ended, points / 2);
}

TEST_F(MemoryE2e, AnAgentEndsCleanlyAtAnyAllocationThatFails) {
  const int points = points_wanted(25);
  int ended = 0;
  for (int begin = 0; begin < points && !HasFailure(); begin += kPointsPerWorld) {
    World world;
    ASSERT_EQ(world.run_agent(failing(0), random_), End::kOrderly);
    for (int i = begin; i < std::min(points, begin + kPointsPerWorld) && !HasFailure(); ++i) {
      const uint64_t all = allocations();
      const uint64_t nth = point(static_cast<uint64_t>(i), static_cast<uint64_t>(points), all);
      SCOPED_TRACE("allocation " + std::to_string(nth) + " of some " + std::to_string(all));
      if (world.run_agent(failing(nth), random_) == End::kNoMemory) {
        ++ended;
      } else {
        expect_not_reached(nth);
      }
    }
    world.expect_delivery();
  }
  std::printf("%d of %d runs ended for lack of memory\n", ended, points);
  EXPECT_GT(ended, points / 2);
}

TEST_F(MemoryE2e, TheCommandLineEndsCleanlyAtAnyAllocationThatFails) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const auto run = [&](uint64_t nth) {
    Environment environment = failing(nth);
    environment.emplace_back("STATMILL_URL", "http://" + server.http().text());
    return run_program({STATMILL_BIN "/statmill", {"put", "oom.put", "1"}, environment});
  };
  ASSERT_EQ(run(0).status, 0);
  const uint64_t all = allocations();
  const int points = points_wanted(25);
  for (int i = 0; i < points && !HasFailure(); ++i) {
    const uint64_t nth = point(static_cast<uint64_t>(i), static_cast<uint64_t>(points), all);
    const Ended ended = run(nth);
    if (end_of(ended.status, ended.said, "allocation " + std::to_string(nth)) == End::kOrderly)
      expect_not_reached(nth);
  }
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

// The control experiment: without base/out_of_memory, failures throw and are caught in various places.
TEST_F(MemoryE2e, TheTestDetectsFailuresThatAreCaught) {
  ServerProcess server(STATMILL_BIN);
  server.start();
  const auto put = [&](uint64_t nth) {
    Environment environment = failing(nth);
    environment.emplace_back("STATMILL_URL", "http://" + server.http().text());
    environment.emplace_back("FAILING_NEW_THROWS", "1");
    return run_program({STATMILL_BIN "/statmill", {"put", "oom.put", "1"}, environment});
  };
  ASSERT_EQ(put(0).status, 0);
  const uint64_t all = allocations();
  constexpr uint64_t kPoints = 10;
  uint64_t seen = 0;
  for (uint64_t i = 0; i < kPoints; ++i) {
    const uint64_t nth = point(i, kPoints, all);
    const Ended ended = put(nth);
    const bool went_on = ended.status == 0 && allocations() >= nth;  // expect_not_reached() would fail
    if (went_on || !is_clean(ended.status, ended.said)) ++seen;
  }
  EXPECT_GE(seen, kPoints - 1) << "the last point can be after the end of the run";
  EXPECT_EQ(server.stop(), 0);
}

}  // namespace
}  // namespace statmill
