#include "server/promql/table_parameters.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/time_text.h"
#include "server/promql/selector_text.h"

namespace statmill {
namespace {

using Merge = StatColumn::Merge;

Error bad_parameter(std::string_view parameter, std::string_view what) {
  return {ErrorCode::kInvalid, "parameter " + std::string(parameter) + ": " + std::string(what)};
}

std::optional<Merge> parse_merge(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Merge>, 4> kMerges = {
      {{"merge", Merge::kMerge}, {"max", Merge::kMax}, {"sum", Merge::kSum}, {"avg", Merge::kAvg}}};
  for (const auto& [name, merge] : kMerges) {
    if (name == text) return merge;
  }
  return std::nullopt;
}

// Sets what the column has of its series. Returns false if there is no such stat.
bool parse_value(std::string_view text, StatColumn& column) {
  if (text == "last") {
    column.value = StatColumn::Value::kLast;
    return true;
  }
  if (const auto stat = parse_stat(text)) {
    column.stat = *stat;
    return true;
  }
  const auto percentile = Percentile::parse(text);
  if (!percentile) return false;
  column.value = StatColumn::Value::kPercentile;
  column.quantile = percentile->q;
  return true;
}

// Cuts a text at its last colon.
std::optional<std::pair<std::string_view, std::string_view>> cut_last(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view last = text.substr(colon + 1);
  if (last.find_first_of("\"}") != std::string_view::npos) return std::nullopt;  // inside of a selector
  return std::pair(text.substr(0, colon), last);
}

// [-]N or [-]row.
Status parse_sort(std::string_view text, size_t columns, StatTableRequest& out) {
  out.is_descending = text.starts_with('-');
  if (out.is_descending) text.remove_prefix(1);
  if (text == "row") return Status::ok();
  const auto column = parse_integer(text, 0, static_cast<int64_t>(columns) - 1);
  if (!column) return bad_parameter("sort", "neither \"row\" nor the index of a column");
  out.sort_column = static_cast<size_t>(*column);
  return Status::ok();
}

// N or N:POINTS.
Status parse_spark(std::string_view text, size_t columns, StatTableRequest& out) {
  const std::string_view index = text.substr(0, text.find(':'));
  const auto column = parse_integer(index, 0, static_cast<int64_t>(columns) - 1);
  if (!column) return bad_parameter("spark", "no index of a column");
  StatTableRequest::Spark spark{static_cast<size_t>(*column), kSparkPointsDefault};
  if (index.size() < text.size()) {
    const auto points = parse_integer(text.substr(index.size() + 1), 1, StatTableRequest::kSparkPointsMax);
    if (!points) return Error(points.error()).with("parameter spark");
    spark.points = *points;
  }
  out.spark = spark;
  return Status::ok();
}

struct Range {
  int64_t from_s;
  int64_t until_s;
};

Result<Range> parse_range(const Url& url, std::string_view usual_from, Timestamp now) {
  const Result<int64_t> from = parse_time(url.find("from").value_or(usual_from), now);
  if (!from) return Error(from.error()).with("parameter from");
  // The range is half-open; with "now" it includes the current second.
  const Result<int64_t> until = parse_time(url.find("until").value_or("now"), now + std::chrono::seconds(1));
  if (!until) return Error(until.error()).with("parameter until");
  if (*from >= *until) return bad_parameter("from", "not before until");
  return Range{*from, *until};
}

Status parse_columns(const Url& url, TableParameters& out) {
  std::vector<LabelMatcher> matchers;
  if (const auto match = url.find("match")) {
    auto parsed = parse_selector_text(*match);
    if (!parsed) return Error(parsed.error()).with("parameter match");
    matchers = *std::move(parsed);
  }
  for (const Parameter& parameter : url.parameters) {
    if (parameter.name != "column") continue;
    auto column = parse_stat_column(parameter.value);
    if (!column) return bad_parameter("column", "\"" + parameter.value + "\": " + column.error().message);
    column->matchers.insert(column->matchers.end(), matchers.begin(), matchers.end());
    out.request.columns.push_back(*std::move(column));
    out.columns.push_back(parameter.value);
  }
  if (out.columns.empty()) return bad_parameter("column", "missing");
  if (out.columns.size() > StatTableRequest::kColumnsMax)
    return bad_parameter("column", "more than " + std::to_string(StatTableRequest::kColumnsMax) + " columns");
  return Status::ok();
}

}  // namespace

Result<StatColumn> parse_stat_column(std::string_view text) {
  StatColumn column;
  auto cut = cut_last(text);
  if (!cut) return Error{ErrorCode::kInvalid, "not SELECTOR:STAT or SELECTOR:STAT:MERGE"};
  // A text such as a:max:sum has a stat and a merge; max alone is a stat.
  const auto longer = cut_last(cut->first);
  const auto merge = parse_merge(cut->second);
  if (merge && longer && parse_value(longer->second, column)) {
    column.merge = *merge;
    cut = longer;
  } else if (!parse_value(cut->second, column)) {
    return Error{ErrorCode::kInvalid,
                 "no such stat \"" + std::string(cut->second) +
                     "\" (known: count, sum, avg, stddev, min, max, rate, last; for "
                     "distributions p0 to p100; perhaps with :merge, :max, :sum or :avg)"};
  }
  auto matchers = parse_selector_text(cut->first);
  if (!matchers) return matchers.error();
  column.matchers = *std::move(matchers);
  return column;
}

Result<TableParameters> parse_table_parameters(const Url& url, Timestamp now) {
  const auto row_text = url.find("row");
  if (!row_text) return bad_parameter("row", "missing");
  auto row = RowKey::parse(*row_text);
  if (!row) return Error(row.error()).with("parameter row");
  TableParameters out{{.row = *std::move(row), .columns = {}, .limit = kTableRowsDefault}, {}};
  const auto range = parse_range(url, "-60s", now);
  if (!range) return range.error();
  out.request.from_s = range->from_s;
  out.request.until_s = range->until_s;
  if (Status s = parse_columns(url, out); !s) return s.error();
  if (const auto sort = url.find("sort")) {
    if (Status s = parse_sort(*sort, out.columns.size(), out.request); !s) return s.error();
  }
  if (const auto spark = url.find("spark")) {
    if (Status s = parse_spark(*spark, out.columns.size(), out.request); !s) return s.error();
  }
  if (const auto text = url.find("limit")) {
    const auto limit = parse_integer(*text, 1, static_cast<int64_t>(StatTableRequest::kRowsMax));
    if (!limit) return Error(limit.error()).with("parameter limit");
    out.request.limit = static_cast<size_t>(*limit);
  }
  return out;
}

Result<ChangesRequest> parse_changes_parameters(const Url& url, Timestamp now) {
  const auto match = url.find("match");
  if (!match) return bad_parameter("match", "missing");
  auto matchers = parse_selector_text(*match);
  if (!matchers) return Error(matchers.error()).with("parameter match");
  const auto range = parse_range(url, "-1h", now);
  if (!range) return range.error();
  ChangesRequest out{.matchers = *std::move(matchers),
                     .from_s = range->from_s,
                     .until_s = range->until_s,
                     .limit = kChangesDefault};
  const std::string_view against = url.find("against").value_or("before");
  if (against == "before") {
    out.shift_s = range->until_s - range->from_s;
  } else {
    const auto shift = parse_duration(against);
    if (!shift || shift->count() < 1000 || shift->count() % 1000 != 0)
      return bad_parameter("against", "neither \"before\" nor a duration of whole seconds, such as 1d or 1w");
    out.shift_s = shift->count() / 1000;
  }
  if (const auto text = url.find("limit")) {
    const auto limit = parse_integer(*text, 1, kChangesMax);
    if (!limit) return Error(limit.error()).with("parameter limit");
    out.limit = static_cast<size_t>(*limit);
  }
  return out;
}

}  // namespace statmill
