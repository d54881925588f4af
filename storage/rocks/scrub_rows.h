// ScrubRows: reads every row of a column family, even if some of its files cannot be read.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/long_job.h"
#include "storage/rocks/rocks_database.h"
#include "storage/rocks/scrub.h"

namespace statmill {

struct ScrubRange {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  const rocksdb::Snapshot* snapshot = nullptr;
  std::string first;  // rows before this key are deleted
};

// Visits the rows by key. Where RocksDB cannot continue, it adds a fault to `report` and continues at the
// next key at which a file begins or ends. The job gets the bytes of the family's files as done. Errors:
// kUnavailable if cancelled.
Status scrub_rows(RocksDatabase& database, const ScrubRange& range, LongJob& job, ScrubReport& report,
                  const std::function<void(std::string_view key, std::string_view value)>& visit);

// Verifies the checksums of every file, one by one. The job expects the bytes of all files twice: for
// this, and for the rows in them.
Status scrub_files(RocksDatabase& database, LongJob& job, ScrubReport& report);

}  // namespace statmill
