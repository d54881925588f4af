// Scrub: reads all of a store and reports what is wrong with it: files against their checksums, every row of
// every column family against storage/FORMAT.md, every frame down to its last bucket.
//
// It changes nothing. Deleted and expired data are not checked, only the files that may still contain them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/long_job.h"
#include "base/result.h"
#include "storage/tiers.h"

namespace statmill {

class RocksDatabase;

struct ScrubReport {
  static constexpr size_t kFaultsMax = 1000;  // reported; all are counted

  struct Tier {
    std::string name;   // of the column family
    uint64_t rows = 0;  // chunks
    uint64_t frames = 0;
    uint64_t buckets = 0;  // after merging the frames
    uint64_t histograms = 0;
    uint64_t bytes = 0;  // of the frames
  };
  struct Fault {
    std::string where;
    std::string what;
  };

  uint64_t files = 0;
  uint64_t file_bytes = 0;
  uint64_t series = 0;
  uint64_t journal_rows = 0;
  uint64_t journal_entries = 0;
  uint64_t activity_rows = 0;
  uint64_t exemplars = 0;
  std::vector<Tier> tiers;
  uint64_t fault_count = 0;
  std::vector<Fault> faults;  // the first kFaultsMax

  void add_fault(std::string where, std::string what);
};

// Checks an open database as of one moment. Errors: kUnavailable if cancelled. Everything else that goes
// wrong is a fault in the report.
Result<ScrubReport> scrub(RocksDatabase& database, const Tiers& tiers, LongJob& job);

// Checks a data directory or a backup that no server has open. Errors, if it does not open: kNotFound,
// kInvalid, kVersion, kCorrupt, kIo.
Result<ScrubReport> scrub_directory(const std::string& directory, LongJob& job);

}  // namespace statmill
