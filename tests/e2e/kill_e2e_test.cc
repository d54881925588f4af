// Kills a server with kill -9 at random times under load and starts it again on the same data: SM_KILLS times
// per test, by default 100. A ledger records what the server acknowledged as durable: all of it must be
// there, and every batch must be whole, counted once, in order, and without a gap.
//
// After the answer to a POST its samples are in memory. They are durable once /api/v1/status reports a
// durable_tick that is at least the open_tick read after the answer.
#include <gtest/gtest.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <optional>
#include <random>
#include <thread>

#include "tests/e2e/server_process.h"

namespace statmill {
namespace {

constexpr int kLinesPerBatch = 10;

// Returns how many kills a test makes.
int kills_of_environment() {
  const char* wanted = std::getenv("SM_KILLS");
  return wanted != nullptr ? std::atoi(wanted) : 100;
}

// Returns the number after `"key":`. Returns nullopt if the answer ends before or within the number.
std::optional<int64_t> number_of(const std::string& json, const std::string& key) {
  const std::string quoted = "\"" + key + "\":";
  const size_t at = json.find(quoted);
  int64_t value = 0;
  if (at == std::string::npos) return std::nullopt;
  const char* end = json.data() + json.size();
  const auto parsed = std::from_chars(json.data() + at + quoted.size(), end, value);
  return parsed.ec == std::errc() && parsed.ptr != end ? std::optional(value) : std::nullopt;
}

// The load during one run of the server: batches of events, each with its own series, posted one after the
// other until the server no longer answers.
class Load {
 public:
  Load(Endpoint http, int life) : http_(std::move(http)), prefix_("kill." + std::to_string(life) + ".") {}

  void run() {
    while (post()) {
      const HttpReply status = http_get(http_, "/api/v1/status");
      const auto open = number_of(status.body, "open_tick");
      const auto durable = number_of(status.body, "durable_tick");
      if (!open || !durable) break;
      marks_.emplace_back(*open, answered_);
      for (const auto& [tick, batches] : marks_) {
        if (tick <= *durable) durable_ = batches;
      }
    }
    begun_ = true;  // also if no request was answered
  }
  // Compares the store with this load. Returns an empty text, or the first difference. Requires that run()
  // has returned.
  std::string fault(const ServerProcess& server) const {
    const auto totals = server.totals(prefix_ + "*");
    for (int batch = 0; batch < static_cast<int>(totals.size()); ++batch) {
      const auto found = totals.find(prefix_ + std::to_string(batch));
      if (found == totals.end())
        return prefix_ + std::to_string(batch) + " is missing, but a later one exists";
      if (found->second.sum != kLinesPerBatch) {
        return found->first + " counts " + std::to_string(found->second.sum);
      }
    }
    const int there = static_cast<int>(totals.size());
    if (there < durable_)
      return prefix_ + ": " + std::to_string(durable_) + " durable, " + std::to_string(there) + " there";
    if (there > answered_ + 1) return prefix_ + ": more batches than were sent";
    return {};
  }
  int answered() const { return answered_; }
  int durable() const { return durable_; }
  bool has_begun() const { return begun_; }

 private:
  bool post() {
    std::string lines;
    for (int i = 0; i < kLinesPerBatch; ++i) lines += "*" + prefix_ + std::to_string(answered_) + " 1\n";
    if (http_post(http_, "/api/v1/lines", lines).status != 200) return false;
    ++answered_;
    begun_ = true;
    return true;
  }

  const Endpoint http_;
  const std::string prefix_;
  int answered_ = 0;
  int durable_ = 0;
  std::vector<std::pair<int64_t, int>> marks_;  // open tick, batches answered before it was read
  std::atomic<bool> begun_{false};              // set by run(), read by the thread that kills the server
};

void kill_repeatedly(const std::vector<std::string>& options) {
  const char* wanted = std::getenv("SM_SEED");
  const uint64_t seed = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : std::random_device()();
  std::printf("SM_SEED=%lu\n", seed);
  std::mt19937_64 random(seed);
  const int kills = kills_of_environment();
  ServerProcess server(STATMILL_BIN, options);
  std::deque<Load> loads;
  server.start();
  for (int life = 0; life < kills && !testing::Test::HasFatalFailure(); ++life) {
    Load& load = loads.emplace_back(server.http(), life);
    std::thread client([&load] { load.run(); });
    while (!load.has_begun()) std::this_thread::yield();
    // The time of the kill is an input of the test; this sleep waits for no event.
    std::this_thread::sleep_for(std::chrono::microseconds(5000 + random() % 55'000));
    server.kill();
    client.join();
    server.start();
    ASSERT_EQ(load.fault(server), "") << "SM_SEED=" << seed;
  }
  int answered = 0;
  int durable = 0;
  for (const Load& load : loads) {
    ASSERT_EQ(load.fault(server), "") << "later, SM_SEED=" << seed;
    answered += load.answered();
    durable += load.durable();
  }
  std::printf("%d kills: %d batches answered, %d of them reported durable\n", kills, answered, durable);
  EXPECT_GT(durable, kills) << "too few durable batches to prove anything";
  EXPECT_EQ(server.conservation(), "");
  EXPECT_EQ(server.stop(), 0);
}

TEST(KillE2e, LosesNoDurableDataWithTheJournalAlone) { kill_repeatedly({"--tick", "10ms"}); }

TEST(KillE2e, LosesNoDurableDataBetweenFlushes) {
  kill_repeatedly({"--tick", "10ms", "--flush.interval", "100ms"});
}

}  // namespace
}  // namespace statmill
