// Activity: the first and last slot of every series of a shard, written with each flush of the shard, so that
// a start need not read chunks to know them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/ids.h"

namespace statmill {

struct SeriesActivity {
  SeriesId id = 0;
  Slot first_slot = 0;  // of the finest tier
  Slot last_slot = 0;   // >= first_slot
};

// Layout: version byte, count, then per series by id: id gap, first slot (zigzag delta to the one before),
// last
// - first, as varints; CRC32C at the end.
std::string encode_activity(std::vector<SeriesActivity> series);

// Returns an empty list for an empty text. Errors: kCorrupt, kVersion.
Result<std::vector<SeriesActivity>> decode_activity(std::string_view bytes);

}  // namespace statmill
