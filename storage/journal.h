// Journal rows: what one tick added to one shard, the bytes that make samples durable (storage/FORMAT.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/bucket.h"
#include "storage/ids.h"

namespace statmill {

struct JournalEntry {
  SeriesId id = 0;
  Kind kind = Kind::kGauge;
  Slot slot = 0;  // of the finest tier
  Bucket bucket;  // only this tick's samples
};

// The row's bytes: version, entries, CRC32C bound to (tick, shard). Entries may come in any order (they are
// sorted by id and slot) and are not empty.
std::string encode_journal_row(TickNo tick, ShardNo shard, std::vector<JournalEntry> entries);

// Errors: kCorrupt, kVersion. All or nothing.
Result<std::vector<JournalEntry>> decode_journal_row(TickNo tick, ShardNo shard, std::string_view row);

}  // namespace statmill
