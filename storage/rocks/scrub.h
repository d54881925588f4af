// Scrub: reads all of a store and says what is wrong with it: files against their checksums, every row of
// every column family against what storage/FORMAT.md says of it, every frame down to its last bucket.
//
// It changes nothing. What has been deleted or expired is not looked at, only the files it may still be in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/files/files.h"
#include "storage/tiers.h"

namespace statmill {

class RocksDatabase;

struct ScrubReport {
  static constexpr size_t kFaultsMax = 1000;  // told; all are counted

  struct Tier {
    std::string name;   // of the column family
    uint64_t rows = 0;  // chunks
    uint64_t frames = 0;
    uint64_t buckets = 0;  // once frames are merged
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
  std::vector<Tier> tiers;
  uint64_t fault_count = 0;
  std::vector<Fault> faults;  // the first kFaultsMax

  void add_fault(std::string where, std::string what);
};

// Of an open database, as it is at one moment. Errors: kUnavailable when cancelled. Everything else that can
// go wrong is a fault.
Result<ScrubReport> scrub(RocksDatabase& database, const Tiers& tiers, const Cancelled& cancelled);

// Of a data directory, or a backup, that no server has open. Errors, when it does not open: kNotFound,
// kInvalid, kVersion, kCorrupt, kIo.
Result<ScrubReport> scrub_directory(const std::string& directory);

}  // namespace statmill
