// The measures of the suite `storage` and their shared functions. Each creates its data in a scratch
// directory of its own.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "storage/store.h"
#include "tools/statmill-bench/bench_store.h"
#include "tools/statmill-bench/measures.h"
#include "tools/statmill-bench/scratch_directory.h"
#include "tools/statmill-bench/storage_suite.h"
#include "tools/statmill-bench/storage_workload.h"

namespace statmill {

struct MeasureContext {
  const StorageOptions& options;
  const std::filesystem::path& server_program;
  Timestamp now;
};

// storage_writing.cc: from the journal to a full compaction.
//   bytes: the size of the finest tier's files after a full compaction
//   written: bytes written by the log, flushes and the compactions that they cause (kernel: the kernel's
//   count of the same;
//     full: including the full compaction)
//   cpu: of the whole process including the full compaction (auto: without it), less the cost of generating
//   the values
//     (generator)
Measured measure_writing(StorageWorkload workload, const MeasureContext& context);
// The same of `mix` with a sample each second, in the detail tier and in the finest one, per second and
// series.
//   bytes: of the detail tier alone
Measured measure_seconds(const MeasureContext& context);
// storage_rollup.cc: the coarser tiers of `mix`.
Measured measure_rollup(const MeasureContext& context);
// storage_histograms.cc: lognormal latencies, for several values of sigma and samples per slot; the codec
// alone.
//   flushed: as flushes write them; compact: merged into one frame; decode: of that frame
Measured measure_histograms(const MeasureContext& context);
// storage_reading.cc: the wall time of reads through a StoreSnapshot, including decoding.
Measured measure_read24h(const MeasureContext& context);
Measured measure_read1y(const MeasureContext& context);
// storage_host.cc: real series of hosts; each value becomes a bucket of 10 s.
Measured measure_host(const MeasureContext& context);
// storage_server.cc: a whole statmilld.
Measured measure_ram(const MeasureContext& context);
Measured measure_idle_ram(const MeasureContext& context);
Measured measure_recovery(std::string_view name, size_t series, const MeasureContext& context);
Measured measure_clean_start(const MeasureContext& context);

// The server's default tiers, and a time at which chunks of all of them begin (2026-09-04 00:00 UTC).
Tiers bench_tiers();
inline constexpr int64_t kFirstTime = 1'788'480'000;
inline constexpr size_t kSlotsPerFragment = 60;  // a flush every ten minutes

// A store in a scratch directory of its own. The store is destroyed before the directory.
struct ScratchStore {
  ScratchDirectory directory;
  BenchStore store;
};
Result<ScratchStore> make_scratch_store(const MeasureContext& context);

// Returns `series` times the requested scale; at least one.
size_t scaled_series(size_t series, const StorageOptions& options);

// Returns the user and system time of all threads of this process.
std::chrono::nanoseconds process_cpu();

// Prints a line such as "storage: mix: 20000 series x 4320 slots" to standard error.
void say(std::string_view measure, const std::string& what);

}  // namespace statmill
