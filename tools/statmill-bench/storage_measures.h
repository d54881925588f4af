// The measures of the suite `storage`, and what they share. Each makes its data anew, in a scratch directory.
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

// storage_writing.cc: journal to compacted. bytes: the finest tier's files after a full compaction. written:
// by the log, flushes and the compactions that follow of themselves (kernel: the same as the kernel counts
// it; full: also the full compaction). cpu: of the whole process up to compacted (auto: without the full
// compaction), less what making the values takes (generator).
Measured measure_writing(StorageWorkload workload, const MeasureContext& context);
// storage_rollup.cc: the coarser tiers of `mix`.
Measured measure_rollup(const MeasureContext& context);
// storage_histograms.cc: lognormal latencies of a sigma, so many samples a slot, codec alone. flushed: as
// flushes write them; compact: those become one frame; decode: of that frame.
Measured measure_histograms(const MeasureContext& context);
// storage_reading.cc: wall time of reads through a StoreSnapshot, decoded.
Measured measure_read24h(const MeasureContext& context);
Measured measure_read1y(const MeasureContext& context);
// storage_host.cc: real series, each value a bucket of 10 s.
Measured measure_host(const MeasureContext& context);
// storage_server.cc: a whole statmilld.
Measured measure_ram(const MeasureContext& context);
Measured measure_recovery(std::string_view name, size_t series, const MeasureContext& context);
Measured measure_clean_start(const MeasureContext& context);

// The server's default tiers, and a time at which chunks of all of them begin (2026-09-04 00:00 UTC).
Tiers bench_tiers();
inline constexpr int64_t kFirstTime = 1'788'480'000;
inline constexpr size_t kSlotsPerFragment = 60;  // a flush every ten minutes

// A store in a scratch directory of its own. The store goes first.
struct ScratchStore {
  ScratchDirectory directory;
  BenchStore store;
};
Result<ScratchStore> make_scratch_store(const MeasureContext& context);

// `series` times the scale asked for, at least one.
size_t scaled_series(size_t series, const StorageOptions& options);

// User and system time of all threads of this process.
std::chrono::nanoseconds process_cpu();

// "storage: mix: 20000 series x 4320 slots" on standard error.
void say(std::string_view measure, const std::string& what);

}  // namespace statmill
