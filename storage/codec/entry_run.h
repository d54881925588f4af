// Entry run: the entries of a window, nearly as they stand <-> the payload of a kEntryRun frame.
//
// What a flush writes: one entry is told anew while the tick waits, the first, against the chunk's begin.
// Compaction, which puts a chunk's fragments together anyway, turns runs into columns, which are half as
// long. Drawn in storage/FORMAT.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "storage/codec/groups.h"

namespace statmill {

// Requires: at least one entry, the first told against no bucket, slots ascending, each once, in the chunk
// that begins at `first_slot`.
std::string encode_entry_run(Combine combine, Slot first_slot, std::string_view entries);

// None when the payload is not what the encoder makes: no entries, slots outside the chunk or not ascending,
// buckets that no samples could have made. Memory: at most `chunk_slots` buckets.
std::optional<DecodedGroup> decode_entry_run(std::string_view payload, Slot first_slot, int64_t chunk_slots);

}  // namespace statmill
