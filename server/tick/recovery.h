// Recovery: fills the table from the store at start: all series, then the journal rows above each shard's
// flushed tick. That is all of it.
#pragma once

#include "server/table/table.h"
#include "server/tick/ticker.h"
#include "storage/store.h"

namespace statmill {

// What a start leaves out, and only when told to salvage: without that each is an error.
struct Losses {
  uint64_t rows_damaged = 0;
  uint64_t gaps = 0;                       // places where one or more rows are missing
  uint64_t entries = 0;                    // of sound rows, told against one that is damaged or missing
  uint64_t entries_of_unknown_series = 0;  // of series that the catalog has lost
  uint64_t activity_rows = 0;

  bool any() const { return rows_damaged + gaps + entries + entries_of_unknown_series + activity_rows > 0; }
};

enum class Damage { kRefuse, kSalvage };

struct Recovery {
  TickStart start;
  uint64_t series = 0;
  uint64_t journal_rows = 0;
  uint64_t journal_entries = 0;
  Losses losses;
};

// Before any other thread uses the table. Errors: kCorrupt (a row that contradicts the catalog or fails its
// check, or a row that is missing: nothing is dropped silently), kIo. After losses every shard must be
// flushed before the journal goes on: the next start would refuse it again.
Result<Recovery> recover(Store& store, Table& table, Damage damage = Damage::kRefuse);

}  // namespace statmill
