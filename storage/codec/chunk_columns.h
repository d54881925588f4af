// Chunk columns: the value of a chunk -> SlotColumns, which is what queries read. It says what decode_chunk()
// says, without making a Bucket of each slot.
#pragma once

#include <cstdint>
#include <string_view>

#include "storage/ids.h"
#include "storage/slot_columns.h"

namespace statmill {

// Adds the slots of a chunk that lie in [out.begin, out.end()). Decoding stops after the last column that
// out.parts needs. Never fails: damaged frames are skipped, and their number is returned; with fewer parts,
// only what is read is checked. `chunk_slots` bounds every slot. Cost: least if `out` has none of these slots
// yet.
uint64_t decode_columns(const ChunkKey& key, Slot first_slot, int64_t chunk_slots, std::string_view value,
                        SlotColumns& out);

}  // namespace statmill
