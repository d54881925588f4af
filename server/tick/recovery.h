// Recovery: fills the table from the store when the server starts: first all series, then the journal rows
// above each shard's flushed tick. Nothing else is needed.
#pragma once

#include "server/table/table.h"
#include "server/tick/ticker.h"
#include "storage/store.h"

namespace statmill {

// What Damage::kSalvage skips. With Damage::kRefuse each of these is an error.
struct SalvageLosses {
  uint64_t rows_damaged = 0;
  uint64_t gaps = 0;                       // places where one or more rows are missing
  uint64_t entries = 0;                    // of intact rows, but relative to a damaged or missing row
  uint64_t entries_of_unknown_series = 0;  // of series that are missing in the catalog
  uint64_t activity_rows = 0;

  bool any() const { return rows_damaged + gaps + entries + entries_of_unknown_series + activity_rows > 0; }
};

enum class Damage { kRefuse, kSalvage };

struct Recovery {
  TickStart start;
  uint64_t series = 0;
  uint64_t journal_rows = 0;
  uint64_t journal_entries = 0;
  uint64_t family_rows_damaged = 0;  // their units and help are unknown until senders send them again
  SalvageLosses losses;
};

// Must be called before any other thread uses the table. Errors: kCorrupt (a row contradicts the catalog,
// fails its check or is missing; nothing is dropped silently), kIo. After losses the caller must flush every
// shard before it writes another journal row; otherwise the next start refuses the same rows again.
// A new store gets `secret_of_new_store` with its first tick; without one its names are hashed without a
// secret.
Result<Recovery> recover(Store& store, Table& table, Damage damage = Damage::kRefuse,
                         const std::optional<HashSecret>& secret_of_new_store = {});

}  // namespace statmill
