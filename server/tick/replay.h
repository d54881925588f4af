// Replay: adds the entries of journal rows to the pending windows of their series again, on a few threads
// with a share of the series each.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/table/shard.h"
#include "storage/journal/journal.h"

namespace statmill {

struct KnownSeries {
  Series* series = nullptr;
  ShardNo shard = 0;
  bool is_deleted = false;  // then `series` is nullptr, and its entries are skipped
  bool is_idle = false;     // then `series` is nullptr until the first of its entries
  IdlePool::Number idle = 0;
  bool has_entries = false;  // in the rows that are replayed

  bool is_known() const { return series != nullptr || is_deleted || is_idle; }
};

struct ReplayRow {
  TickNo tick = 0;
  std::string bytes;
  // Entries of shards that were flushed before this tick cannot be decoded: rows after the flush are missing.
  TickNo decodable_from = 0;
  std::optional<JournalRowReader> reader = std::nullopt;  // at the row's beginning; nullopt if it is damaged
};

struct ReplayInput {
  std::vector<KnownSeries>& by_id;  // idle ones that have entries wake up
  const std::array<TickNo, kShardCount>& flushed;
  const std::deque<ReplayRow>& rows;  // by tick
  int64_t detail_ratio = 1;           // of the tiers
  bool salvages = false;  // if true, entries of unknown series are skipped; else they are an error
  // Called for an idle series that has entries; several threads may call it at once.
  std::function<Series*(ShardNo, IdlePool::Number)> wake = {};
};

struct ReplayCounts {
  uint64_t entries = 0;
  uint64_t without_reference = 0;  // skipped because they are relative to a missing row
  uint64_t of_unknown_series = 0;  // skipped because their series is unknown
};

// Changes only the series; no other thread may use them meanwhile. Errors: kCorrupt.
Result<ReplayCounts> replay(const ReplayInput& input);

Error unknown_series(SeriesId id);

}  // namespace statmill
