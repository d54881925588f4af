// ScrubRows: every row of a column family, even where some of its files cannot be read.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "storage/files/files.h"
#include "storage/rocks/rocks_database.h"
#include "storage/rocks/scrub.h"

namespace statmill {

struct ScrubRange {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  const rocksdb::Snapshot* snapshot = nullptr;
  std::string first;  // rows before this key have been deleted
};

// Gives the rows by key. Where RocksDB cannot go on, that is a fault in `report`, and it goes on at the next
// key that a file begins or ends with. Errors: kUnavailable when cancelled.
Status scrub_rows(RocksDatabase& database, const ScrubRange& range, const Cancelled& cancelled,
                  ScrubReport& report,
                  const std::function<void(std::string_view key, std::string_view value)>& visit);

// Every file against its checksums, each by itself.
Status scrub_files(RocksDatabase& database, const Cancelled& cancelled, ScrubReport& report);

}  // namespace statmill
