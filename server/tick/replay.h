// Replay: journal rows back into the windows of their series, a share of the series on each of a few threads.
#pragma once

#include <array>
#include <deque>
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
  bool is_deleted = false;  // then there is no series: what is left of it is stepped over

  bool is_known() const { return series != nullptr || is_deleted; }
};

struct ReplayRow {
  TickNo tick = 0;
  std::string bytes;
  TickNo sound_from = 0;  // entries of shards flushed before cannot be told: rows since are missing
  std::optional<JournalRowReader> reader = std::nullopt;  // at the row's beginning; none: damaged
};

struct ReplayInput {
  const std::vector<KnownSeries>& by_id;
  const std::array<TickNo, kShardCount>& flushed;
  const std::deque<ReplayRow>& rows;  // by tick
  bool salvages = false;              // entries of unknown series are no error
};

struct ReplayCounts {
  uint64_t entries = 0;
  uint64_t untold = 0;             // left out: told against a row that is missing
  uint64_t of_unknown_series = 0;  // left out: of unknown series
};

// Changes nothing but the series, which nobody else may use. Errors: kCorrupt.
Result<ReplayCounts> replay(const ReplayInput& input);

Error unknown_series(SeriesId id);

}  // namespace statmill
