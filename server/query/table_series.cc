#include "server/query/table_series.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/heavy_hitters.h"
#include "server/query/family_lookup.h"
#include "server/table/table.h"

namespace statmill {
namespace {

NameIndex::IsCancelled stop_of(const QueryControl& control) {
  return [&control] { return control.should_stop(); };
}

// The reason why a query was stopped counts more than what the index says about it.
Error error_of(const Error& from_index, const QueryControl& control) {
  const Status stopped = control.check();
  return stopped ? from_index : stopped.error();
}

// Returns the union of what `list(matchers)` returns for each selector of the request.
template <class List>
Result<std::vector<std::string>> listed(const CatalogRequest& request, QueryControl& control,
                                        const List& list) {
  static const std::vector<std::vector<LabelMatcher>> kAll(1);
  const size_t most = control.limits().selected_max;
  std::vector<std::string> found;
  for (const auto& matchers : request.selectors.empty() ? kAll : request.selectors) {
    auto some = list(matchers);
    if (!some) return error_of(some.error(), control);
    const auto middle = static_cast<ptrdiff_t>(found.size());
    std::move(some->begin(), some->end(), std::back_inserter(found));
    std::inplace_merge(found.begin(), found.begin() + middle, found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (found.size() > most) return control.refuse(QueryLimit::kSelected, found.size());
  }
  size_t bytes = 0;
  for (const std::string& text : found) bytes += sizeof(std::string) + text.size();
  if (Status s = control.take_memory(bytes); !s) return s.error();
  found.resize(std::min(found.size(), request.limit));
  return found;
}

bool has_range(const CatalogRequest& request) {
  return request.start_ms != INT64_MIN || request.end_ms != INT64_MAX;
}

// Returns false if all samples of the series are outside of the request's range, or it was deleted meanwhile.
bool is_in_range(const Table& table, std::string_view name, const CatalogRequest& request) {
  if (!has_range(request)) return true;
  const auto summary = table.summary(name);
  if (!summary) return false;
  if (summary->last_slot == Series::kNoSlot) return true;
  const int64_t step_ms = table.tiers().finest().step_s * 1000;
  return summary->first_slot * step_ms <= request.end_ms &&
         (summary->last_slot + 1) * step_ms >= request.start_ms;
}

// All must outlive the result.
NameIndex::ListOptions list_options(const Table& table, const CatalogRequest& request,
                                    const QueryControl& control) {
  NameIndex::ListOptions options{.limit = control.limits().selected_max, .is_cancelled = stop_of(control)};
  if (has_range(request))
    options.is_listed = [&](std::string_view name) { return is_in_range(table, name, request); };
  return options;
}

// About 1 MB; every text that more than 1/2048 of all series have is among them.
constexpr size_t kTextsCounted = 4096;

// Counts the metric and each label with its value, as they are in the name.
void count_name(std::string_view name, HeavyHitters& metrics, HeavyHitters& pairs) {
  size_t end = std::min(name.find(';'), name.size());
  metrics.add(name.substr(0, end));
  while (end < name.size()) {
    name.remove_prefix(end + 1);
    end = std::min(name.find(';'), name.size());
    pairs.add(name.substr(0, end));
  }
}

// Returns a tag of a name as label=value, without its escapes.
std::string pair_text(std::string_view tag) {
  SeriesLabels labels = SeriesLabels::of_name("x;" + std::string(tag));
  labels.remove(kMetricName);
  std::string out;
  for (const auto& [label, value] : labels.all()) out.append(label).append("=").append(value);
  return out;
}

CatalogStats::Counts greatest(const HeavyHitters& hitters, size_t limit) {
  CatalogStats::Counts out;
  for (HeavyHitters::Hitter& hitter : hitters.top(limit)) {
    if (hitter.count >= hitters.missed()) out.emplace_back(std::move(hitter.key), hitter.count);
  }
  return out;
}

}  // namespace

Result<std::vector<SeriesRef>> TableSeries::select(std::span<const LabelMatcher> matchers,
                                                   QueryControl& control) const {
  const size_t most = control.limits().selected_max;
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    names.emplace_back(name);
    return names.size() <= most;
  };
  if (Status s = table_.names()->select(matchers, add, stop_of(control)); !s)
    return error_of(s.error(), control);
  if (names.size() > most) return control.refuse(QueryLimit::kSelected, names.size());
  std::vector<SeriesRef> out;
  out.reserve(names.size());
  for (std::string& name : names) {
    const auto summary = table_.summary(name);  // none if the series was deleted meanwhile
    if (summary) out.push_back({std::move(name), summary->id});
  }
  std::ranges::sort(out, {}, &SeriesRef::id);
  return out;
}

uint64_t TableSeries::names_version() const { return table_.names_version(); }

Result<std::vector<SeriesLabels>> TableSeries::series(const CatalogRequest& request,
                                                      QueryControl& control) const {
  static const std::vector<std::vector<LabelMatcher>> kAll(1);
  const size_t most = control.limits().selected_max;
  std::set<SeriesLabels> found;
  Status held;
  const auto add = [&](std::string_view name) {
    if (!is_in_range(table_, name, request)) return true;
    const auto [at, is_new] = found.insert(SeriesLabels::of_name(name));
    if (is_new) held = control.take_memory(sizeof(*at) + at->memory_bytes());
    return held && found.size() <= most;
  };
  for (const auto& matchers : request.selectors.empty() ? kAll : request.selectors) {
    if (Status s = table_.names()->select(matchers, add, stop_of(control)); !s)
      return error_of(s.error(), control);
    if (!held) return held.error();
    if (found.size() > most) return control.refuse(QueryLimit::kSelected, found.size());
  }
  std::vector<SeriesLabels> out;
  while (!found.empty() && out.size() < request.limit)
    out.push_back(std::move(found.extract(found.begin()).value()));
  return out;
}

Result<std::vector<std::string>> TableSeries::label_names(const CatalogRequest& request,
                                                          QueryControl& control) const {
  return listed(request, control, [&](std::span<const LabelMatcher> matchers) {
    return table_.names()->label_names(matchers, list_options(table_, request, control));
  });
}

Result<std::vector<std::string>> TableSeries::label_values(std::string_view label,
                                                           const CatalogRequest& request,
                                                           QueryControl& control) const {
  return listed(request, control, [&](std::span<const LabelMatcher> matchers) {
    return table_.names()->label_values(label, matchers, list_options(table_, request, control));
  });
}

Result<std::map<std::string, uint64_t>> TableSeries::series_by_value(std::string_view label,
                                                                     QueryControl& control) const {
  // Refuses too many values before they are counted.
  if (const auto values = label_values(label, {}, control); !values) return values.error();
  auto counts = table_.names()->series_by_value(label, stop_of(control));
  if (!counts) return error_of(counts.error(), control);
  return counts;
}

Result<std::vector<TreeNode>> TableSeries::nodes(std::string_view pattern, QueryControl& control) const {
  auto nodes = table_.names()->children(pattern, stop_of(control), [&control](size_t bytes) {
    const Status taken = control.take_memory(bytes);
    return taken ? control.check() : taken;
  });
  if (!nodes) return error_of(nodes.error(), control);
  return nodes;
}

Status TableSeries::each_name(const std::function<bool(std::string_view name)>& visit,
                              QueryControl& control) const {
  Status walked = table_.names()->select({}, visit, stop_of(control));
  if (!walked) return error_of(walked.error(), control);
  return walked;
}

std::optional<Kind> TableSeries::kind(std::string_view name) const {
  const auto summary = table_.summary(name);
  return summary ? std::optional(summary->kind) : std::nullopt;
}

std::vector<FamilyRow> TableSeries::families(const FamilyKey& after, size_t limit) const {
  std::vector<FamilyRow> out = table_.families().page(after, limit);
  for (FamilyRow& row : out) complete_unit(row);
  return out;
}

std::vector<FamilyRow> TableSeries::families_of(std::string_view path) const {
  std::vector<FamilyRow> out;
  for (const Kind kind : kKinds) {
    auto row = table_.families().find({std::string(path), kind});
    if (!row) continue;
    complete_unit(*row);
    out.push_back(*std::move(row));
  }
  return out;
}

Result<CatalogStats> TableSeries::stats(size_t limit, QueryControl& control) const {
  CatalogStats out;
  HeavyHitters metrics(kTextsCounted);
  HeavyHitters pairs(kTextsCounted);
  const auto count = [&](std::string_view name) {
    ++out.series;
    count_name(name, metrics, pairs);
    return true;
  };
  if (Status s = table_.names()->select({}, count, stop_of(control)); !s) return error_of(s.error(), control);
  out.missed = std::max(metrics.missed(), pairs.missed());
  out.series_by_metric = greatest(metrics, limit);
  for (auto& [metric, series] : out.series_by_metric) metric = SeriesLabels::of_name(metric).get(kMetricName);
  out.series_by_pair = greatest(pairs, limit);
  for (auto& [pair, series] : out.series_by_pair) pair = pair_text(pair);
  for (const auto& [label, values] : table_.names()->value_counts())
    out.values_by_label.emplace_back(label, values);
  std::ranges::stable_sort(out.values_by_label, std::ranges::greater(),
                           &CatalogStats::Counts::value_type::second);
  out.values_by_label.resize(std::min(out.values_by_label.size(), limit));
  return out;
}

}  // namespace statmill
