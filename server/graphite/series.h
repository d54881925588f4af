// Series: the values of one series while a target is computed.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/graphite/summary.h"
#include "storage/slot_columns.h"

namespace statmill::graphite {

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
inline bool is_none(double value) { return std::isnan(value); }

// Value i is of the time [start_s + i * step_s, start_s + (i + 1) * step_s); NaN: there is none. A value
// type.
struct Series {
  std::string name;
  // What the names of combined series are made of: the path of the target that selected it, or the name that
  // a function has made.
  std::string path;
  int64_t start_s = 0;
  int64_t end_s = 0;  // the end of the last value; functions that shift series may let it differ
  int64_t step_s = 1;
  std::vector<double> values;
  Summary consolidation = {};  // how several values become one if an answer has fewer points
  Summary read = {};           // what its values are of the stored buckets
  double x_files_factor = 0;   // the share of values that must be there for a summary of them
  // What the values are of, element by element, where a function above merges it (FetchRequest). Copies of a
  // series have the same. Functions that change values may not get them: passing.h.
  std::shared_ptr<const SlotColumns> buckets = {};
  bool is_merged = false;  // its buckets are among those of another series of the list
  std::map<std::string, std::string, std::less<>> tags;  // `name` is the path of the stored series

  size_t memory_bytes() const;
  // Sets the name, and the path to the same.
  void rename(std::string to) {
    name = std::move(to);
    path = name;
  }
};

using SeriesList = std::vector<Series>;
// Returns the key of the group that a series belongs to.
using GroupOf = std::function<std::string(const Series& series)>;

// The summary of the values in each [t, t + step_s), where t is a multiple of step_s. Values before the first
// whole t are left out unless no others are there. Requires: step_s is a multiple of series.step_s.
void consolidate(Series& series, int64_t step_s);
// Consolidates it to the shortest multiple of its step that gives at most `points` values; to one value of
// all if `points` is 1. Requires: points > 0.
void consolidate_to(Series& series, size_t points);

// Rounds to so many decimals, of the exact decimal value of the number, as Python does; to tens, hundreds and
// so on if `decimals` is below 0.
double rounded(double value, int64_t decimals);

// The texts as Python prints numbers: "%g", and str() of a float.
std::string general_text(double value);
std::string float_text(double value);
// An integer as it is, any other number as float_text().
std::string number_text(double value);

}  // namespace statmill::graphite
