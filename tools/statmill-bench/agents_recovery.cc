// Measures how long an agent takes to open a large spool after kill -9: its start with that spool, less its
// start with a nearly empty one. The newest bytes are in the page cache, as after any kill.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "tools/statmill-bench/agents_suite.h"
#include "tools/statmill-bench/replay.h"
#include "tools/statmill-bench/scratch_directory.h"
#include "tools/statmill-bench/sender.h"
#include "tools/statmill-bench/server_process.h"

namespace statmill {
namespace {

constexpr uint64_t kFillRate = 400'000;  // samples per second: the most that a relay passes on
constexpr size_t kStarts = 9;

using Milliseconds = std::chrono::duration<double, std::milli>;

std::vector<std::string> agent_options(const std::filesystem::path& spool) {
  // Nothing listens on port 1, so everything stays in the spool.
  return {"--server",          "127.0.0.1:1", "--spool.path", spool.string(), "--spool.bytes", "1T",
          "--relay.aggregate", "0s",          "--collectors", "load",         "--interval",    "1h"};
}

Result<ServerProcess> start_agent(const std::filesystem::path& program, const std::filesystem::path& spool) {
  return ServerProcess::start(
      {.program = program, .options = agent_options(spool), .kind = ServerCommand::Kind::kAgent});
}

uint64_t bytes_of(const std::filesystem::path& spool) {
  uint64_t bytes = 0;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator(spool, gone)) {
    const uint64_t size = entry.file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

// Sends samples until the spool has this many bytes.
Status fill(const ServerProcess& agent, const std::filesystem::path& spool, uint64_t bytes) {
  constexpr size_t kSeries = 10'000;
  constexpr size_t kPasses = size_t{1} << 40;  // more than needed: the run is stopped first
  constexpr size_t kHeldBytesMax = size_t{16} << 20;
  constexpr std::chrono::seconds kFillLimit{600};
  constexpr std::chrono::milliseconds kPollInterval{50};
  Workload workload({.series = kSeries});
  std::vector<Stream> streams = workload.next(kHeldBytesMax / (kSeries * kWorkloadLineBytesMax));
  Status status = Status::ok();
  std::jthread sender([&](const std::stop_token& stop) {
    const auto sent =
        send({.server = agent.address().line, .rate = kFillRate, .stop = stop}, streams, {0, kPasses});
    if (!sent) status = sent.error();
  });
  const auto deadline = std::chrono::steady_clock::now() + kFillLimit;
  while (bytes_of(spool) < bytes && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(kPollInterval);  // there is no event for the size of a directory
  sender.request_stop();
  sender.join();
  if (status && bytes_of(spool) < bytes) return Error{ErrorCode::kUnavailable, "the spool does not fill"};
  return status;
}

// Returns the median time from the fork to the ready line over several starts. The spool exists: creating one
// syncs more files than opening one.
Result<Milliseconds> time_start(const std::filesystem::path& program, const std::filesystem::path& spool) {
  std::array<Milliseconds, kStarts> took{};
  for (Milliseconds& one : took) {
    const auto begin = std::chrono::steady_clock::now();
    auto agent = start_agent(program, spool);
    if (!agent) return agent.error();
    one = std::chrono::steady_clock::now() - begin;
    agent->stop(SIGKILL);
  }
  std::sort(took.begin(), took.end());
  return took[kStarts / 2];
}

// Creates a spool of at least this many bytes, and kills its agent.
Status make_spool(const std::filesystem::path& program, const std::filesystem::path& spool, uint64_t bytes) {
  auto agent = start_agent(program, spool);
  if (!agent) return agent.error();
  if (Status filled = fill(*agent, spool, bytes); !filled) return filled;
  agent->stop(SIGKILL);
  return Status::ok();
}

}  // namespace

Result<std::vector<Measurement>> measure_spool_recovery(const AgentsBenchOptions& options,
                                                        const std::filesystem::path& programs) {
  const auto program = programs / "statmill-agent";
  auto directory = ScratchDirectory::make({});
  if (!directory) return directory.error();
  std::fprintf(stderr, "agents: a spool of %.0f MB\n", static_cast<double>(options.spool_bytes) / 1e6);
  const auto small = directory->path() / "small";
  const auto large = directory->path() / "large";
  if (Status made = make_spool(program, small, 1); !made) return made.error();
  if (Status made = make_spool(program, large, options.spool_bytes); !made) return made.error();
  const auto bytes = static_cast<double>(bytes_of(large));
  const auto base = time_start(program, small);
  if (!base) return base.error();
  const auto full = time_start(program, large);
  if (!full) return full.error();
  std::fprintf(stderr, "agents: starts in %.1f ms, over a small spool in %.1f ms\n", full->count(),
               base->count());
  const double took = std::max(0.0, (*full - *base).count());  // noise may exceed the difference
  return std::vector<Measurement>{
      {"agents.spool_recovery_ms_per_gb", took / (bytes / 1e9), "ms", static_cast<uint64_t>(bytes)}};
}

}  // namespace statmill
