#include "server/store_metrics.h"

#include <limits>
#include <optional>

namespace statmill {

void register_store_metrics(Registry& registry, const RocksStore& store, const StoreStatsCache& stats,
                            const Health& health) {
  registry.gauge_fn("statmill.store_disk_bytes", "Bytes of the store on disk.", {},
                    [&stats] { return static_cast<double>(stats.stats().bytes_on_disk); });
  registry.gauge_fn("statmill.store_disk_free_bytes",
                    "Bytes that can still be written to the disk of the store.", {}, [&stats] {
                      const std::optional<uint64_t> bytes = stats.stats().disk_free_bytes;
                      return bytes ? static_cast<double>(*bytes) : std::numeric_limits<double>::quiet_NaN();
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

}  // namespace statmill
