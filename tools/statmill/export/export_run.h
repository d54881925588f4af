// Reads whole buckets of series from a server, window by window.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/long_job.h"
#include "base/result.h"
#include "storage/tiers.h"
#include "tools/statmill/client.h"

namespace statmill {

struct ExportedSeries {
  std::string name;
  bool is_distribution = false;
  int64_t first_s = 0;  // start of its oldest slot
  int64_t last_s = 0;   // start of its newest slot
  Tiers tiers = {};     // with that of seconds, if the series has seconds, as the first
};

inline constexpr size_t kExportSeriesMax = 100'000;

// Returns the series that match a name, a glob or a selector, ordered by path, then by name. Errors: those of
// the client; kInvalid if the server refuses the pattern; kLimit if there are more than kExportSeriesMax.
Result<std::vector<ExportedSeries>> list_exported(const Client& client, const std::string& pattern);

struct ExportRange {
  int64_t from_s = 0;
  int64_t until_s = 0;
  int64_t step_s = 10;  // of the slots; the server rounds it up to whole slots of the tier that it reads
  int64_t now_s = 0;
};

// The slots that the tiers make of a step begin together at least once in this time, or once a step.
inline constexpr int64_t kGrainMax_s = 28 * 86'400;

struct ExportAccount {
  uint64_t series = 0;
  uint64_t lines = 0;
  uint64_t damaged = 0;  // stored frames that are missing
  uint64_t joined = 0;   // histograms whose cells were joined
};

using PassLine = std::function<Status(std::string_view line)>;

// Calls `line` with each line of the series in the range, series by series in their order, each by time
// (docs/import.md, "JSONL"). Series with few slots share a request. Counts the series as done in `job`.
// Each slot is whole, but at the ends of the range: no slot is in two requests. Memory: that of one answer,
// of at most some hundred thousand slots. Errors: those of the client, of `line`, and kInvalid, also for a
// step of which no slots of all tiers begin together within kGrainMax_s.
Status export_series(const Client& client, std::span<const ExportedSeries> series, const ExportRange& range,
                     const PassLine& line, ExportAccount& account, LongJob& job);

}  // namespace statmill
