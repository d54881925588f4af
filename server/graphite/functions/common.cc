#include "server/graphite/functions/common.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "server/graphite/passing.h"
#include "server/graphite/target_parser.h"

namespace statmill::graphite {
namespace {

constexpr size_t kPathsBytesMax = 4096;

// A hundred years: no range has a longer step.
constexpr int64_t kStepMax_s = int64_t{100} * 366 * 86'400;

// Calls `visit` with the words between separators.
template <class Visit>
void for_each_part(std::string_view text, char separator, const Visit& visit) {
  while (true) {
    const size_t end = text.find(separator);
    visit(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

// A node of a path by its number, from the end if that is negative; nullopt if there is none.
std::optional<std::string> node_of(std::string_view path, int64_t number) {
  std::vector<std::string_view> parts;
  for_each_part(path.substr(0, path.find(';')), '.', [&](std::string_view part) { parts.push_back(part); });
  const int64_t at = number < 0 ? number + static_cast<int64_t>(parts.size()) : number;
  if (at < 0 || at >= static_cast<int64_t>(parts.size())) return std::nullopt;
  return std::string(parts[static_cast<size_t>(at)]);
}

std::string node_or_tag(const Series& series, std::string_view path, const Value& which) {
  std::optional<std::string> node;
  if (const auto* number = std::get_if<Number>(&which))
    node = node_of(path, static_cast<int64_t>(number->value));
  if (node) return *std::move(node);
  const auto tag = series.tags.find(value_text(which));
  return tag == series.tags.end() ? std::string() : tag->second;
}

// Tags that all series have with the same value.
void keep_common_tags(Series& into, const SeriesList& series) {
  into.tags = series.front().tags;
  for (const Series& other : series) {
    std::erase_if(into.tags, [&](const auto& tag) {
      const auto found = other.tags.find(tag.first);
      return found == other.tags.end() || found->second != tag.second;
    });
  }
}

// The summary that the bands of a combined series have: that of its parts, if it is combined by the same.
Summary common_consolidation(const SeriesList& series, const Summary& by) {
  const Summary first = series.front().consolidation;
  const bool is_common =
      std::ranges::all_of(series, [&](const Series& one) { return one.consolidation == first; });
  return is_common && combines(by, first) ? first : Summary{};
}

}  // namespace

Series copy_of(const Series& from, std::string name, std::vector<double> values) {
  Series out;
  out.rename(std::move(name));
  out.start_s = from.start_s;
  out.end_s = from.end_s;
  out.step_s = from.step_s;
  out.values = std::move(values);
  out.consolidation = from.consolidation;
  out.read = from.read;
  out.x_files_factor = from.x_files_factor;
  out.tags = from.tags;
  return out;
}

Series new_series(const Call& call, std::string name, const Series& grid, std::vector<double> values) {
  Series out;
  out.tags.emplace("name", name);
  out.rename(std::move(name));
  out.start_s = grid.start_s;
  out.end_s = grid.end_s;
  out.step_s = grid.step_s;
  out.values = std::move(values);
  out.x_files_factor = call.x_files_factor();
  return out;
}

Series constant_line(const Call& call, double value) {
  Series grid;
  grid.start_s = call.range().from_s;
  grid.end_s = call.range().until_s;
  grid.step_s = std::max<int64_t>((grid.end_s - grid.start_s) / 2, 1);
  Series out = new_series(call, float_text(value), grid, {value, value, value});
  out.path = "constantLine(" + out.name + ")";
  return out;
}

std::string value_text(const Value& value) {
  if (const auto* number = std::get_if<Number>(&value))
    return number->is_integer ? number_text(number->value) : float_text(number->value);
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}

void set_tag(Series& series, std::string_view name, std::string value) {
  series.tags.insert_or_assign(std::string(name), std::move(value));
}

std::vector<double> Rows::row(size_t i) const {
  std::vector<double> out(columns.size());
  for (size_t k = 0; k < columns.size(); ++k) out[k] = columns[k][i];
  return out;
}

Result<int64_t> common_step(const Call& call, std::span<const Series* const> series) {
  int64_t step_s = series.front()->step_s;
  for (const Series* one : series) {
    const int64_t factor = one->step_s / std::gcd(step_s, one->step_s);
    if (step_s > kStepMax_s / factor) return call.error("the series have no common step");
    step_s *= factor;
  }
  return step_s;
}

Result<Rows> rows_of(Call& call, std::span<const Series* const> series) {
  const auto step = common_step(call, series);
  if (!step) return step.error();
  const int64_t step_s = *step;
  const bool is_aligned = std::ranges::all_of(series, [&](const Series* one) {
    return one->step_s == step_s && one->start_s == series.front()->start_s;
  });
  std::vector<Series> bands;  // those that have another step
  bands.reserve(series.size());
  std::vector<const Series*> columns(series.begin(), series.end());
  for (const Series*& column : columns) {
    if (Status s = call.work(column->values.size()); !s) return s.error();
    if (column->step_s == step_s) continue;
    bands.push_back(*column);
    consolidate(bands.back(), step_s);
    column = &bands.back();
  }
  Rows out;
  Series& grid = out.grid;
  grid.step_s = step_s;
  grid.start_s = (*std::ranges::min_element(columns, {}, &Series::start_s))->start_s;
  grid.end_s = (*std::ranges::max_element(columns, {}, &Series::end_s))->end_s;
  const auto first_row = [&](const Series& column) {
    return is_aligned ? 0 : static_cast<size_t>((column.start_s - grid.start_s) / step_s);
  };
  for (const Series* column : columns)
    out.count = std::max(out.count, first_row(*column) + column->values.size());
  if (Status s = call.check_points(static_cast<double>(out.count)); !s) return s.error();
  if (Status s = call.check_memory(out.count * series.size() * sizeof(double)); !s) return s.error();
  // What the function makes of these rows has a value for each.
  if (Status s = call.hold_memory(out.count * sizeof(double)); !s) return s.error();
  for (const Series* column : columns) {
    if (Status s = call.work(out.count); !s) return s.error();
    out.columns.emplace_back(out.count, kNoValue);
    std::ranges::copy(column->values,
                      out.columns.back().begin() + static_cast<ptrdiff_t>(first_row(*column)));
  }
  return out;
}

Result<Rows> rows_of(Call& call, const SeriesList& series) {
  std::vector<const Series*> pointers;
  for (const Series& one : series) pointers.push_back(&one);
  return rows_of(call, pointers);
}

std::string paths_of(const SeriesList& series) {
  std::set<std::string_view> seen;
  std::string out;
  for (const Series& one : series) {
    if (!seen.insert(one.path).second) continue;
    if (!out.empty()) out += ',';
    if (out.size() + one.path.size() > kPathsBytesMax) return out + "...";
    out += one.path;
  }
  return out;
}

namespace {

// A value for each row that has the share of values.
Result<Series> summarized_rows(Call& call, const SeriesList& series, const Summary& summary, double factor) {
  auto rows = rows_of(call, series);
  if (!rows) return rows.error();
  Series out = std::move(rows->grid);
  out.values.assign(rows->count, kNoValue);
  for (size_t i = 0; i < rows->count; ++i) {
    if (Status s = call.work(series.size()); !s) return s.error();
    const std::vector<double> row = rows->row(i);
    const auto present =
        static_cast<double>(std::ranges::count_if(row, [](double value) { return !is_none(value); }));
    if (present > 0 && present / static_cast<double>(row.size()) >= factor) out.values[i] = summary.of(row);
  }
  return out;
}

}  // namespace

Result<SeriesList> aggregate(Call& call, const SeriesList& series, const AggregateOptions& options) {
  if (series.empty()) return SeriesList();
  const auto summary = parse_merging(options.function);
  if (!summary) return call.error("no function is called " + std::string(options.function));
  const double factor = options.x_files_factor.value_or(series.front().x_files_factor);
  auto made = summary->is_of_samples() ? merged_buckets(call, series, *summary, factor)
                                       : summarized_rows(call, series, *summary, factor);
  if (!made) return made.error();
  std::string_view function = options.function;
  if (function.ends_with("Series")) function.remove_suffix(6);
  std::vector<double> values = std::move(made->values);
  Series out =
      new_series(call, std::string(function) + "Series(" + paths_of(series) + ")", *made, std::move(values));
  out.x_files_factor = factor;
  out.consolidation = common_consolidation(series, *summary);
  keep_common_tags(out, series);
  out.tags.emplace("name", out.name);
  set_tag(out, "aggregatedBy", std::string(function));
  SeriesList list;
  list.push_back(std::move(out));
  return list;
}

double percentile_of(std::vector<double> values, double percent, bool interpolates) {
  std::erase_if(values, is_none);
  if (values.empty()) return kNoValue;
  std::ranges::sort(values);
  const double exact = percent / 100 * static_cast<double>(values.size() + 1);
  const double whole = std::floor(exact);
  const double share = exact - whole;
  const double rank = interpolates ? whole : std::ceil(exact);
  const auto at = static_cast<size_t>(std::clamp(rank, 1.0, static_cast<double>(values.size())) - 1);
  if (!interpolates || rank < 1 || at + 1 >= values.size()) return values[at];
  return values[at] + share * (values[at + 1] - values[at]);
}

std::string first_path(std::string_view target) {
  const auto tree = parse_target(target);
  if (!tree) return std::string(target);
  const SyntaxTree::Node* node = &tree->at(tree->root);
  while (node->kind == SyntaxTree::Kind::kCall && node->raw.empty() && !node->arguments.empty())
    node = &tree->at(node->arguments.front().value);
  return node->kind == SyntaxTree::Kind::kPath ? node->text : std::string(target);
}

std::string key_of(const Series& series, std::span<const Value> nodes) {
  const std::string path = series.name.ends_with(')') ? first_path(series.name) : series.name;
  std::string out;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) out += '.';
    out += node_or_tag(series, path, nodes[i]);
  }
  return out;
}

}  // namespace statmill::graphite
