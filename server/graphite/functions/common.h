// What the functions of several groups share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/graphite/call.h"
#include "server/graphite/series.h"

namespace re2 {
class RE2;
}

namespace statmill::graphite {

// The groups of functions.
std::span<const Function> alias_functions();
std::span<const Function> calculate_functions();
std::span<const Function> combine_functions();
std::span<const Function> filter_functions();
std::span<const Function> graph_functions();
std::span<const Function> gap_functions();
std::span<const Function> list_functions();
std::span<const Function> smooth_functions();
std::span<const Function> sort_functions();
std::span<const Function> special_functions();
std::span<const Function> time_functions();
std::span<const Function> transform_functions();

// A series of its own with the range, step, tags and consolidation of another; the path is the name.
Series copy_of(const Series& from, std::string name, std::vector<double> values);
// A series with only a name as a tag. `values` begin at start_s.
Series new_series(const Call& call, std::string name, const Series& grid, std::vector<double> values);
// A line of three values over the range: at its begin, middle and end.
Series constant_line(const Call& call, double value);

// The text of an argument that is an integer, a number or a text.
std::string value_text(const Value& value);
// Adds a tag; sets it if it is there.
void set_tag(Series& series, std::string_view name, std::string value);

// Series at one step, as rows of values.
struct Rows {
  Series grid;                               // start, end and step; no values
  size_t count = 0;                          // of rows
  std::vector<std::vector<double>> columns;  // one per series, each of `count` values
  std::vector<double> row(size_t i) const;
};
// Returns the least common multiple of their steps. Errors: kInvalid if that is too long. Requires: not
// empty.
Result<int64_t> common_step(const Call& call, std::span<const Series* const> series);
// Brings series to the least common multiple of their steps; each consolidates as it says. Errors: kInvalid
// if that is too long, kLimit. Requires: not empty.
Result<Rows> rows_of(Call& call, std::span<const Series* const> series);
Result<Rows> rows_of(Call& call, const SeriesList& series);

// The different paths of series, with commas between them. A long text is cut.
std::string paths_of(const SeriesList& series);

// The percentile or mean of all samples of several series, from their merged buckets: range, step and values
// of a series. A row needs buckets of at least this share of the series. Errors: kInvalid if a series has no
// buckets (Series::buckets), kLimit, kBusy. Requires: not empty; summary.is_of_samples().
Result<Series> merged_buckets(Call& call, const SeriesList& series, const Summary& summary, double factor);

// One series of several: the summary of each row that has the share of values. Returns no series for none.
// `function` is the name as Graphite has it in names: "sum", "average".
struct AggregateOptions {
  std::string_view function;
  std::optional<double> x_files_factor = std::nullopt;
};
Result<SeriesList> aggregate(Call& call, const SeriesList& series, const AggregateOptions& options);

// The percentile of values, by Graphite's ranks of n + 1; NaN values are none. With `interpolates` it may lie
// between two values.
double percentile_of(std::vector<double> values, double percent, bool interpolates = false);

// The nodes of the path, or values of tags, of a series, with dots between them.
std::string key_of(const Series& series, std::span<const Value> nodes);
// The first path in the text of a target; the text itself if it has none.
std::string first_path(std::string_view target);

// Compiles a regular expression as the users of Graphite write it. Errors: kInvalid; for look-around and
// back-references, which RE2 does not have, it says so.
Result<std::unique_ptr<re2::RE2>> compiled_regex(const Call& call, std::string_view regex);
// Replaces all matches. `\1` and `\g<1>` in the replacement are groups. Errors: kInvalid.
Result<std::string> replaced(const Call& call, const re2::RE2& regex, std::string_view text,
                             std::string_view replacement);

}  // namespace statmill::graphite
