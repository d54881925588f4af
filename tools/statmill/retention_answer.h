// The answer of GET /admin/v1/retention (server/http/API.md), and its texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/statmill/zone.h"

namespace statmill {

// One tier of a class. Bytes are approximate.
struct KeptTier {
  int64_t step_s = 0;
  int64_t retention_s = 0;
  std::optional<int64_t> oldest_s;
  uint64_t bytes = 0;
  bool are_least = false;  // of all bytes here
  int64_t then_s = 0;      // this and the next two: of a dry run
  uint64_t affected_series = 0;
  uint64_t dropped_bytes = 0;
};

struct KeptClass {
  std::string rule;  // empty: series that no rule matches
  uint64_t series = 0;
  uint64_t affected_series = 0;  // of a dry run
  std::vector<KeptTier> tiers;
};

struct KeptClasses {
  bool is_dry_run = false;
  std::vector<KeptClass> classes;
};

// Errors: kCorrupt.
Result<KeptClasses> parse_kept_classes(std::string_view json);

// Returns one row per class and tier. Times are in `zone`.
std::string kept_table(const KeptClasses& kept, const Zone& zone);
// Returns rule,series,step,retention_s,oldest,unix,bytes; of a dry run also
// then_s,affected_series,dropped_bytes.
std::string kept_csv(const KeptClasses& kept);
// Returns the sentence that follows the table of a dry run.
std::string dropped_text(const KeptClasses& kept);

}  // namespace statmill
