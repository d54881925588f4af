#include "server/store_metrics.h"

#include <limits>
#include <optional>

namespace statmill {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

void register_written_bytes(Registry& registry, const StoreStatsCache& stats) {
  const auto add = [&](const char* by, uint64_t WrittenBytes::*bytes) {
    registry.counter_fn("statmill.store_written_bytes",
                        "Bytes that the store has written to files: its log, flushes, compactions.",
                        {{"by", by}}, [&stats, bytes] { return stats.stats().written.*bytes; });
  };
  add("log", &WrittenBytes::log);
  add("flush", &WrittenBytes::flush);
  add("compaction", &WrittenBytes::compaction);
}

void register_database_bytes(Registry& registry, const StoreStatsCache& stats) {
  const auto add = [&](const char* name, const char* help, uint64_t DatabaseBytes::*bytes) {
    registry.gauge_fn(name, help, {},
                      [&stats, bytes] { return static_cast<double>(stats.stats().database.*bytes); });
  };
  add("statmill.store_live_bytes", "Bytes of files without what newer rows replace: an estimate.",
      &DatabaseBytes::live);
  add("statmill.store_file_bytes", "Bytes of the files that hold the data.", &DatabaseBytes::files);
  add("statmill.store_obsolete_bytes", "Bytes of replaced files that are still read or not deleted yet.",
      &DatabaseBytes::obsolete);
  add("statmill.store_log_bytes", "Bytes of the write-ahead logs.", &DatabaseBytes::log);
  add("statmill.store_compaction_debt_bytes", "Bytes that compactions still have to rewrite: an estimate.",
      &DatabaseBytes::compaction_debt);
}

void register_stalls(Registry& registry, const RocksStore& store, const StoreStatsCache& stats) {
  const auto add = [&](const char* how, StallState state, uint64_t WriteStalls::*count) {
    registry.counter_fn("statmill.store_stalls",
                        "Times that writes began to be slowed or stopped because compactions lag.",
                        {{"how", how}}, [&stats, count] { return stats.stats().stalls.*count; });
    registry.gauge_fn("statmill.store_stalled", "1: writes are slowed or stopped because compactions lag.",
                      {{"how", how}}, [&store, state] { return store.stall_state() == state ? 1.0 : 0.0; });
  };
  add("slowed", StallState::kSlowed, &WriteStalls::slowdowns);
  add("stopped", StallState::kStopped, &WriteStalls::stops);
  registry.counter_fn("statmill.store_stall_ns",
                      "Time that writes waited because they were slowed or stopped.", {}, [&stats] {
                        const std::chrono::nanoseconds time = stats.stats().stalls.time;
                        return static_cast<uint64_t>(time.count());
                      });
}

void register_cache(Registry& registry, const StoreStatsCache& stats) {
  const auto add = [&](const char* result, uint64_t CacheLookups::*count) {
    registry.counter_fn("statmill.store_cache_lookups", "Blocks that were looked for in the block cache.",
                        {{"result", result}}, [&stats, count] { return stats.stats().cache.*count; });
  };
  add("hit", &CacheLookups::hits);
  add("miss", &CacheLookups::misses);
}

void register_store_state(Registry& registry, const RocksStore& store, const StoreStatsCache& stats,
                          const Health& health) {
  registry.gauge_fn("statmill.store_disk_bytes", "Bytes of the store on disk.", {},
                    [&stats] { return static_cast<double>(stats.stats().bytes_on_disk); });
  registry.gauge_fn("statmill.store_disk_free_bytes",
                    "Bytes that can still be written to the disk of the store.", {}, [&stats] {
                      const std::optional<uint64_t> bytes = stats.stats().disk_free_bytes;
                      return bytes ? static_cast<double>(*bytes) : kUnknown;
                    });
  registry.gauge_fn("statmill.store_memory_bytes", "Buffers and caches of the store.", {},
                    [&stats] { return static_cast<double>(stats.stats().memory_bytes); });
  registry.gauge_fn("statmill.store_reserve_bytes",
                    "Bytes of disk reserved for a start when the disk is full.", {},
                    [&store] { return static_cast<double>(store.reserve_bytes()); });
  registry.gauge_fn("statmill.store_ready",
                    "1: the last tick is in the store. 0: samples wait in memory, see /readyz.", {},
                    [&health] { return health.problems().contains("store") ? 0.0 : 1.0; });
  registry.counter_fn("statmill.store_reopenings", "Times the store was reopened after a disk fault.", {},
                      [&stats] { return stats.stats().reopenings; });
  registry.counter_fn("statmill.expired_rows",
                      "Chunks dropped by compactions because their retention has ended.", {},
                      [&stats] { return stats.stats().expired_rows; });
  registry.counter_fn("statmill.damaged_frames", "Stored frames whose checksum was wrong in a merge.", {},
                      [&stats] { return stats.stats().damaged_frames; });
}

void register_write_rate(Registry& registry, const WriteRate& writes) {
  registry.gauge_fn(
      "statmill.store_sample_written_bytes",
      "Bytes written to the files of the store per accepted sample, within the last day.", {}, [&writes] {
        const auto observed = writes.observed();
        return observed ? observed->per_sample(observed->files.total()).value_or(kUnknown) : kUnknown;
      });
  registry.gauge_fn("statmill.disk_daily_written_bytes",
                    "Bytes that the process writes to disks per day, as in the last day.", {}, [&writes] {
                      const auto observed = writes.observed();
                      return observed ? observed->disk_bytes_per_day.value_or(kUnknown) : kUnknown;
                    });
}

}  // namespace

void register_store_metrics(Registry& registry, const RocksStore& store, const StoreSources& sources) {
  const auto& [stats, writes, health] = sources;
  register_written_bytes(registry, stats);
  register_database_bytes(registry, stats);
  register_stalls(registry, store, stats);
  register_cache(registry, stats);
  register_write_rate(registry, writes);
  register_store_state(registry, store, stats, health);
}

}  // namespace statmill
