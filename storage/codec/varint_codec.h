// Varint codec: reads the payload of a kVarintBuckets frame, the first codec: column by column in LEB128
// varints.
//
// It is written no more (column_codec.h); compaction turns such frames into the newer ones. The payload is
// drawn in storage/FORMAT.md.
#pragma once

#include <optional>
#include <string_view>

#include "storage/codec/groups.h"

namespace statmill {

// None when the payload is not what the encoder made: slots outside the chunk or not ascending, buckets that
// no samples could have made, bytes too few or too many. Memory is taken in proportion to the payload only.
std::optional<DecodedGroup> decode_varint_group(std::string_view payload, Slot first_slot,
                                                int64_t chunk_slots);

}  // namespace statmill
