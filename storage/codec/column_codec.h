// Column codec: a group of buckets <-> the payload of a kColumnBuckets frame. Each number of the buckets is a
// column, predicted from the columns before it (column.h, spread.h). The layout is in storage/FORMAT.md.
//
// Columns are in the order in which readers need them: slots, counts and sums come first, so that a reader of
// averages stops there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "storage/codec/groups.h"
#include "storage/slot_columns.h"

namespace statmill {

// Requires: the group is not empty, and its slots are in the chunk that begins at `first_slot`.
std::string encode_group(const Group& group, Slot first_slot);

// Returns the columns of the group, as far as `parts` needs them: those after the last one needed are not
// read and are empty. Returns nullopt if no encoder writes such a payload: slots outside the chunk or not
// ascending, buckets that no samples could have made, too few or too many bytes. Only what is read is
// checked. Allocates at most `chunk_slots` entries per column.
std::optional<Group> read_group(std::string_view payload, Slot first_slot, int64_t chunk_slots, Parts parts);

// The same, all columns, as a list of buckets.
std::optional<DecodedGroup> decode_group(std::string_view payload, Slot first_slot, int64_t chunk_slots);

}  // namespace statmill
