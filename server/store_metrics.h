// Registers the metrics of the store.
#pragma once

#include "server/health.h"
#include "server/store_stats_cache.h"
#include "server/write_rate.h"
#include "statmill/registry.h"
#include "storage/rocks/rocks_store.h"

namespace statmill {

struct StoreSources {
  const StoreStatsCache& stats;
  const WriteRate& writes;
  const Health& health;
};

// All must outlive all readings of the registry.
void register_store_metrics(Registry& registry, const RocksStore& store, const StoreSources& sources);

}  // namespace statmill
