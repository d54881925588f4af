// The measure stall_ms: how long a tick over a million changed series blocks senders. The same run with a
// thousand series, whose ticks are short, shows the effect of the machine alone.
#include <cmath>

#include "tools/statmill-bench/ingest_measures.h"

namespace statmill {
namespace {

struct Stall {
  Sent sent;
  uint64_t ticks = 0;
};

// Full speed, so that the sender's buffer is full. The buffer is small, because the kernel wakes a writer
// when a third of it is free, which takes 20 ms with the default of 4 MB.
Result<Stall> stall_with(size_t series, size_t samples, const IngestContext& context) {
  constexpr size_t kHeldBytesMax = size_t{512} << 20;
  constexpr int kBufferBytes = 256 << 10;
  const size_t passes = samples / series;
  Replay replay = make_replay(
      {.series = series, .passes = passes, .connections = context.options.connections}, kHeldBytesMax);
  const auto server =
      ServerProcess::start({.program = context.server_program, .parent = context.options.directory});
  if (!server) return server.error();
  const SendOptions options{.server = server->address().line, .buffer_bytes = kBufferBytes};
  // Creating the series is not measured.
  if (const auto made = send(options, replay.streams, {0, 1}); !made) return made.error();
  if (const auto made = server->wait_for_received("tcp", series, kStallLimit); !made) return made.error();
  if (Status s = server->wait_until_durable(); !s) return s.error();
  const Result<double> ticks_before = server->metric("statmill_ticks_total");
  if (!ticks_before) return ticks_before.error();
  const Result<Sent> sent = send(options, replay.streams, {1, passes - 1});
  if (!sent) return sent.error();
  const Result<double> ticks = server->metric("statmill_ticks_total");
  if (!ticks) return ticks.error();
  const auto counts = server->wait_for_received("tcp", series * passes, kStallLimit);
  if (!counts) return counts.error();
  if (counts->accepted != series * passes) {
    return Error{ErrorCode::kCorrupt, std::to_string(counts->accepted) + " samples accepted of " +
                                          std::to_string(series * passes) + " sent"};
  }
  return Stall{*sent, static_cast<uint64_t>(std::llround(*ticks - *ticks_before))};
}

}  // namespace

Measured measure_stall(const IngestContext& context) {
  constexpr size_t kSeries = 1'000'000;
  constexpr size_t kSeriesAlone = 1000;
  constexpr size_t kSamples = 20'000'000;  // several seconds, hence several ticks
  const double scale = context.options.scale;
  const size_t series = scaled(kSeries, scale, 2);
  const size_t series_alone = scaled(kSeriesAlone, scale, 2);
  const size_t samples = scaled(kSamples, scale, 100);
  say_ingest("stall_ms", std::to_string(samples) + " samples of " + std::to_string(series) +
                             " series by TCP lines, then of " + std::to_string(series_alone));
  const Result<Stall> stall = stall_with(series, samples, context);
  if (!stall) return stall.error();
  const Result<Stall> alone = stall_with(series_alone, samples, context);
  if (!alone) return alone.error();
  const auto milliseconds = [](std::chrono::nanoseconds t) {
    return std::chrono::duration<double, std::milli>(t).count();
  };
  return std::vector<Measurement>{
      {"ingest.stall_ms.1m", milliseconds(stall->sent.longest_write), "ms", stall->ticks},
      {"ingest.stalls_over_20ms.1m", static_cast<double>(stall->sent.slow_writes), "writes", stall->ticks},
      {"ingest.stall_ms.1k", milliseconds(alone->sent.longest_write), "ms", alone->ticks}};
}

}  // namespace statmill
