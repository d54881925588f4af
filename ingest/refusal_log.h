// RefusalLog: the most recently refused lines, and the senders and prefixes of refused new series.
//
// It reads only the refused lines that Batch keeps, so a flood of bad lines costs no more per batch than 16
// of them: 16 copies of up to 200 bytes, 32 table lookups, 16 scans of the records.
//
// A flood does not evict the records of other senders either: a new record in a full log replaces the oldest
// record of the sender that has most, the new one included. So the records of senders with few of them stay.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/heavy_hitters.h"
#include "base/mutex.h"
#include "proto/batch.h"

namespace statmill {

struct RefusalRecord {
  Timestamp time;
  std::string listener;
  LineSender sender;
  Refusal reason{};
  std::string text;          // the line or the series' name, cut to RefusalLog::kTextBytesMax
  size_t text_bytes = 0;     // size of the uncut text
  bool is_accepted = false;  // as in RefusedLine
};

// Thread-safe.
class RefusalLog {
 public:
  static constexpr size_t kRecordsMax = 100;
  static constexpr size_t kTextBytesMax = 200;
  static constexpr size_t kHittersMax = 100;  // senders, and also prefixes, with a count of their own
  static constexpr size_t kPrefixParts = 1;   // parts of a refused name that make its prefix

  RefusalLog() { entries_.reserve(kRecordsMax); }

  // Adds the refused lines that the batch has kept. Cost: one lock.
  void add(const Batch& batch, std::string_view listener, Timestamp now);

  // Returns the records, newest first.
  std::vector<RefusalRecord> records() const;

  // Return the samples refused because there was no room for a new series, by sender and by prefix. These are
  // known for the first 16 samples of a batch; the others are distributed like those. The sum is exact.
  HeavyHitters by_sender() const;
  HeavyHitters by_prefix() const;

 private:
  struct Holder {
    LineSender sender;  // without port
    size_t count = 0;   // its records; 0: the place is free
  };
  struct Entry {
    RefusalRecord record;
    uint64_t number = 0;  // in order of arrival
    size_t holder = 0;    // index in holders_
  };

  void add_record(RefusalRecord record) REQUIRES(mutex_);
  // Returns the index of the sender's holder, or of a free one.
  size_t holder_of(const LineSender& sender) const REQUIRES(mutex_);
  // Returns the entry that the next record replaces. Requires: kRecordsMax entries.
  Entry& entry_to_replace() REQUIRES(mutex_);
  void count_new_names(const Batch& batch) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_);  // at most kRecordsMax, unordered
  std::array<Holder, kRecordsMax + 1> holders_ GUARDED_BY(mutex_);
  uint64_t next_number_ GUARDED_BY(mutex_) = 0;
  HeavyHitters by_sender_ GUARDED_BY(mutex_){kHittersMax};
  HeavyHitters by_prefix_ GUARDED_BY(mutex_){kHittersMax};
};

}  // namespace statmill
