// Column codec: a group of buckets <-> the payload of a kColumnBuckets frame: each number of the buckets a
// column of its own, foretold from what is already known (column.h, spread.h). Drawn in storage/FORMAT.md.
//
// Columns stand in the order in which readers want them: slots, counts and sums first, so that who asks for
// averages stops there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "storage/codec/groups.h"

namespace statmill {

// Requires: the group is not empty and its slots are in the chunk that begins at `first_slot`.
std::string encode_group(const Group& group, Slot first_slot);

// None when the payload is not what the encoder makes: slots outside the chunk or not ascending, buckets that
// no samples could have made, bytes too few or too many (of Wanted::kTotals only what is read is checked).
// Memory: at most `chunk_slots` buckets.
std::optional<DecodedGroup> decode_group(std::string_view payload, Slot first_slot, int64_t chunk_slots,
                                         Wanted wanted);

}  // namespace statmill
