// Finds the ids of which a RocksDatabase has chunks.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "base/result.h"
#include "storage/ids.h"

namespace statmill {

class RocksDatabase;

// As Store::remove_used(), in the one tier `from.tier`: returns nullopt if it has no chunk number from there
// on. Reads the blocks in which the rows of the ids are or would be.
Result<std::optional<TierChunk>> remove_used_ids(RocksDatabase& database, std::vector<SeriesId>& ids,
                                                 TierChunk from, const std::atomic<bool>& cancelled);

}  // namespace statmill
