// Finds ids of which a RocksDatabase has no chunk, so that a new series may have them.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "base/result.h"
#include "storage/ids.h"
#include "storage/tiers.h"

namespace statmill {

class RocksDatabase;

// As Store::without_chunks(). It reads keys only, of the chunk numbers that there are and near these ids, and
// looks at dropped and expired chunks, too: a lowered floor would make them readable again.
Result<std::vector<SeriesId>> ids_without_chunks(RocksDatabase& database, const Tiers& tiers,
                                                 std::span<const SeriesId> ids,
                                                 const std::atomic<bool>& cancelled);

}  // namespace statmill
