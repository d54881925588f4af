// RefusalLog: what was refused lately, and who asks for series that there is no room for.
//
// Of each batch only what Batch kept is looked at, so a flood of bad lines costs no more per batch than 16 of
// them: 16 copies of up to 200 bytes, 32 looks into a table, 16 walks over the records.
//
// Nor does a flood drive out what others have sent: in a full book a new record takes the place of the oldest
// of whoever has most in it, the new one counted. So those who send little keep theirs.
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
  std::string text;       // the first RefusalLog::kTextBytesMax of the line, or of the series' name
  size_t text_bytes = 0;  // of all of it
};

// Thread-safe.
class RefusalLog {
 public:
  static constexpr size_t kRecordsMax = 100;
  static constexpr size_t kTextBytesMax = 200;
  static constexpr size_t kHittersMax = 100;  // senders, and prefixes, that are counted on their own
  static constexpr size_t kPrefixParts = 1;   // of the names refused

  RefusalLog() { entries_.reserve(kRecordsMax); }

  // Takes in what the batch has kept of its refusals. Cost: one lock.
  void add(const Batch& batch, std::string_view listener, Timestamp now);

  // The newest first.
  std::vector<RefusalRecord> records() const;

  // Samples refused for want of room for a new series. Which sender and prefix they have is known of the
  // batch's first 16; the others are taken to be like those. The sum is exact.
  HeavyHitters by_sender() const;
  HeavyHitters by_prefix() const;

 private:
  struct Holder {
    LineSender sender;  // whatever the port
    size_t count = 0;   // of its records; 0: the place is free
  };
  struct Entry {
    RefusalRecord record;
    uint64_t number = 0;  // in the order of arrival
    size_t holder = 0;    // index
  };

  void add_record(RefusalRecord record) REQUIRES(mutex_);
  // The holder of a sender's records, or a free place for it.
  size_t holder_of(const LineSender& sender) const REQUIRES(mutex_);
  // The entry whose place the next record takes. Requires: a full book
  Entry& dispensable_entry() REQUIRES(mutex_);
  void count_new_names(const Batch& batch) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<Entry> entries_ GUARDED_BY(mutex_);  // kRecordsMax at most, in no order
  std::array<Holder, kRecordsMax + 1> holders_ GUARDED_BY(mutex_);
  uint64_t next_number_ GUARDED_BY(mutex_) = 0;
  HeavyHitters by_sender_ GUARDED_BY(mutex_){kHittersMax};
  HeavyHitters by_prefix_ GUARDED_BY(mutex_){kHittersMax};
};

}  // namespace statmill
