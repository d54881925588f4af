// Recovery: fills the table from the store at start: all series, then the journal rows above each shard's
// flushed tick. That is all of it.
#pragma once

#include "server/table/table.h"
#include "server/tick/ticker.h"
#include "storage/store.h"

namespace statmill {

struct Recovery {
  TickStart start;
  uint64_t series = 0;
  uint64_t journal_rows = 0;
  uint64_t journal_entries = 0;
};

// Before any other thread uses the table. Errors: kCorrupt (a row that contradicts the catalog or fails its
// check: nothing is dropped silently), kIo.
Result<Recovery> recover(Store& store, Table& table);

}  // namespace statmill
