// Varint codec: a group of buckets <-> the payload of a kVarintBuckets frame, column by column in LEB128
// varints.
//
// The first codec: simple and exact. The payload is drawn in storage/FORMAT.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "storage/groups.h"

namespace statmill {

// Requires: the group is not empty and its slots are in the chunk that begins at `first_slot`.
std::string encode_varint_group(const Group& group, Slot first_slot);

// None when the payload is not what the encoder makes: slots outside the chunk or not ascending, buckets that
// no samples could have made, bytes too few or too many. Memory is taken in proportion to the payload only.
std::optional<Group> decode_varint_group(std::string_view payload, Slot first_slot, int64_t chunk_slots);

}  // namespace statmill
