// What the texts of RRDtool have in common: elements of one line each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/statmill/import/history_sink.h"

namespace statmill {

inline constexpr size_t kRrdLineBytesMax = size_t{1} << 20;
inline constexpr size_t kRrdColumnsMax = 10'000;          // data sources, or columns
inline constexpr int64_t kRrdTimeMax_s = 99'999'999'999;  // of a row, and of what an archive spans

// Returns the trimmed text of <tag>text</tag>, wherever it is in the line; nullopt without one. The text ends
// at the last end tag of this name, since RRDtool escapes nothing.
std::optional<std::string_view> rrd_element(std::string_view line, std::string_view tag);

// Returns 0 for any text that is no integer.
int64_t rrd_integer(std::string_view text);

// Returns the texts of all <v>text</v>; nullopt if there are more than kRrdColumnsMax.
std::optional<std::vector<std::string_view>> rrd_values(std::string_view line);

// Returns the canonical names of the series `base`.column, or of `column` if `base` is empty. Errors:
// kCorrupt if a text can be no name, or if two are the same.
Result<std::vector<std::string>> rrd_names(const std::string& base, const std::vector<std::string>& columns);

// A row of values: those of `names`, in their order, of the time from `begin_s` on.
struct RrdRow {
  const std::vector<std::string>& names;
  const std::vector<std::string_view>& values;  // as many as names
  int64_t begin_s = 0;
  uint64_t line = 0;  // its number
};
// Passes on the values that are known. Returns false if the sink does.
bool add_rrd_row(const RrdRow& row, HistorySink& sink);

}  // namespace statmill
