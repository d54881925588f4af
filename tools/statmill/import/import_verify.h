// Compares what an import has read with what the server answers about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/statmill/client.h"
#include "tools/statmill/import/import_totals.h"

namespace statmill {

struct ImportDifference {
  std::string series;
  int64_t from_s = 0;  // of the week
  std::string what;    // "count is 5, not 7"
};

struct ImportComparison {
  static constexpr size_t kDifferencesKept = 10;

  uint64_t series = 0;
  uint64_t windows = 0;
  uint64_t differing = 0;                    // windows
  std::vector<ImportDifference> first = {};  // at most kDifferencesKept
  // How many refused lines the differences need, and how many they allow.
  uint64_t refused_least = 0;
  uint64_t refused_most = 0;
  bool has_more = false;                      // of a window: no refusal explains that
  std::optional<Error> fault = std::nullopt;  // that ended the comparison: the rest is of what came before
};

// Asks the server for count, sum, min, max and deviation of each series and week (of events and counters, for
// the sum), and compares. Numbers that are decimals have to be equal, others to 10^-9. The fault is that of
// the client; kInvalid if the server refuses a query.
ImportComparison compare_import(const Client& client, const ImportTotals& totals);

// Returns what differs, or an empty text. `stats` are the server's numbers of one window: of count, sum, min,
// max, stddev as the answer has them; empty texts if it has none.
std::string difference_text(Kind kind, const Bucket& read, const std::vector<std::string>& stats);

}  // namespace statmill
