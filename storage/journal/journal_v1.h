// The first version of journal rows, one per shard and tick: read so that a directory it was written to still
// opens, written no more.
#pragma once

#include <optional>
#include <vector>

#include "storage/journal/journal.h"

namespace statmill {

// What follows the version byte, to the row's checksum. None when the bytes are not what that version wrote.
std::optional<std::vector<JournalEntry>> decode_entries_v1(Reader& in);

}  // namespace statmill
