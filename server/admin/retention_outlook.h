// RetentionOutlook: what is kept of each retention class, and what another retention would drop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/table/table.h"
#include "server/tick/tick_thread.h"
#include "storage/rocks/rocks_store.h"

namespace statmill {

// One tier of a class. Bytes are approximate.
struct TierOutlook {
  int64_t step_s = 0;
  int64_t kept_s = 0;               // for how long, at present; 0: the class keeps nothing in this tier
  int64_t then_s = 0;               // the same with the other retention
  std::optional<int64_t> oldest_s;  // the time of the oldest sample, in unix seconds; nullopt: there is none
  uint64_t bytes = 0;
  bool are_least = false;        // of all bytes here: reading took too long, so there may be more
  uint64_t affected_series = 0;  // that lose samples of this tier by the other retention
  uint64_t dropped_bytes = 0;
};

struct ClassOutlook {
  std::string rule;       // as in the settings; empty: series that no rule matches
  std::string then_rule;  // the same with the other retention
  uint64_t series = 0;
  uint64_t affected_series = 0;    // that lose samples of any tier
  std::vector<TierOutlook> tiers;  // the detail tier, if it keeps anything in either case, then finest first
};

// By class; the default class is the first.
using RetentionOutlook = std::vector<ClassOutlook>;

struct OutlookSources {
  const Table& table;
  RocksStore& store;
  std::function<Status(const TickThread::Job&)> on_tick_thread;  // TickThread::call
  const Clock& clock;
  std::function<bool()> is_canceled = [] { return false; };  // must be thread-safe and quick
};

// The store is read for so long; what it has beyond that is not counted (TierOutlook::are_least).
inline constexpr Duration kOutlookTime = std::chrono::seconds(2);

// Compares `next` with the retention in use, at present. Changes nothing. Cost: a look at each series, and up
// to some thousand rows of the store per tier, for about kOutlookTime. Errors: kInvalid if more than times
// differ (Retention::differs_in_times_only), kUnavailable if it is canceled, while the server stops or its
// store recovers, kIo, kCorrupt.
Result<RetentionOutlook> retention_outlook(const OutlookSources& sources, const Retention& next);

}  // namespace statmill
