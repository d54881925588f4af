// Entry run: the entries of a window, nearly unchanged <-> the payload of a kEntryRun frame.
//
// A flush writes these. Only the first entry is encoded again while the tick waits, relative to the chunk's
// begin. Compaction, which joins a chunk's fragments anyway, turns runs into columns, which are half as long.
// The layout is in storage/FORMAT.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "storage/codec/groups.h"

namespace statmill {

// Requires: at least one entry; the first is encoded relative to a default EntryReference; slots ascend, each
// once, in the chunk that begins at `first_slot`.
std::string encode_entry_run(Combine combine, Slot first_slot, std::string_view entries);

// A decoded run in two lists, each ascending.
struct EntryRun {
  Group singles;                    // decimal observations at one scale
  std::vector<SlotBucket> buckets;  // all others
};

// Returns nullopt if no encoder writes such a payload: no entries, slots outside the chunk or not ascending,
// buckets that no samples could have made. Allocates at most `chunk_slots` buckets.
std::optional<EntryRun> read_entry_run(std::string_view payload, Slot first_slot, int64_t chunk_slots);

// The same as one list.
std::optional<DecodedGroup> decode_entry_run(std::string_view payload, Slot first_slot, int64_t chunk_slots);

}  // namespace statmill
