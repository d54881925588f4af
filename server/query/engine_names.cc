// What the engine answers about names: the tree, searches, lists.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_cpu.h"
#include "server/query/attempts.h"
#include "server/query/engine.h"
#include "server/query/family_lookup.h"
#include "server/query/table_series.h"
#include "server/table/table.h"

namespace statmill {

uint64_t QueryEngine::names_number() const {
  return table_.names_version() + table_.series_created() + table_.series_expired();
}

Result<TreePage> QueryEngine::tree(const TreeRequest& request, QueryControl& control) const {
  if (request.prefix.ends_with(';')) return tags(request, control);
  const auto nodes = table_.names()->children_of(
      request.prefix, [&control] { return control.should_stop(); },
      [&control](size_t bytes) {
        const Status taken = control.take_memory(bytes);
        return taken ? control.check() : taken;
      });
  if (Status s = control.check(); !s) return s.error();
  if (!nodes) return nodes.error();
  const int64_t step_s = table_.tiers().finest().step_s;
  TreePage out;
  out.names = names_number();
  for (const TreeNode& node : *nodes) {
    out.series += node.series;
    std::string part = node.path.substr(request.prefix.size());
    if (request.after && part <= *request.after) continue;
    if (out.children.size() == request.limit) {
      out.has_more = true;
      continue;
    }
    TreePage::Child& child = out.children.emplace_back();
    child = {.part = std::move(part),
             .series = node.series,
             .is_branch = node.is_branch,
             .has_tags = node.has_tags};
    const auto summary = node.is_leaf ? table_.summary(node.path) : std::nullopt;
    if (summary) child.leaf = SeriesInfo{node.path, summary->kind, summary->last_slot * step_s};
  }
  return out;
}

// The tags of the series of one path, each as one text.
Result<TreePage> QueryEngine::tags(const TreeRequest& request, QueryControl& control) const {
  const auto glob = Glob::parse(glob_of_prefix(request.prefix));
  if (!glob) return glob.error();
  TreePage out;
  out.names = names_number();
  std::set<std::string, std::less<>> first;  // those of the page
  const auto add = [&](std::string_view name) {
    const std::string_view tags = name.substr(request.prefix.size());
    ++out.series;
    if (request.after && tags <= *request.after) return true;
    if (first.size() < request.limit) {
      first.emplace(tags);
      return true;
    }
    out.has_more = true;
    if (tags < *first.rbegin()) {
      first.emplace(tags);
      first.erase(std::prev(first.end()));
    }
    return true;
  };
  const Status searched = table_.names()->search(*glob, add, [&control] { return control.should_stop(); });
  if (Status s = control.check(); !s) return s.error();
  if (!searched) return searched.error();
  const int64_t step_s = table_.tiers().finest().step_s;
  for (const std::string& tags : first) {
    TreePage::Child& child = out.children.emplace_back();
    child = {.part = tags, .series = 1};
    const std::string name = request.prefix + tags;
    if (const auto summary = table_.summary(name))
      child.leaf = SeriesInfo{name, summary->kind, summary->last_slot * step_s};
  }
  return out;
}

Result<SearchPage> QueryEngine::search(const SearchRequest& request, QueryControl& control) const {
  NameQuery query{.words = request.words, .under = request.under, .limit = request.limit};
  if (request.kind) {
    query.accepts = [&](std::string_view name) {
      const auto summary = table_.summary(name);
      return summary && summary->kind == *request.kind;
    };
  }
  SearchPage out;
  out.names = names_number();
  const double began_ms = control.cost().ms;
  // A busy machine does not cut a search short: the work counts, not the wait.
  const uint64_t end_ns =
      thread_cpu_ns() + static_cast<uint64_t>(std::chrono::nanoseconds(kSearchTime).count());
  const FoundNames found =
      table_.names()->find(query, [&] { return control.should_stop() || thread_cpu_ns() > end_ns; });
  if (Status s = control.check(); !s) return s.error();
  out.total = found.total;
  out.is_complete = found.is_complete;
  const int64_t step_s = table_.tiers().finest().step_s;
  for (const FoundNames::One& one : found.names) {
    const auto summary = table_.summary(one.name);
    if (summary) out.series.push_back({{one.name, summary->kind, summary->last_slot * step_s}, one.hits});
  }
  out.ms = control.cost().ms - began_ms;
  return out;
}

// What is known of the series, without those that were deleted meanwhile.
SeriesPage QueryEngine::page_of(std::span<const std::string> names, bool has_more) const {
  const int64_t step_s = table_.tiers().finest().step_s;
  FamilyLookup families(table_.families());
  SeriesPage out{{}, has_more};
  for (const std::string& name : names) {
    const auto summary = table_.summary(name);
    if (!summary) continue;
    const FamilyRow& family = families.of(name, summary->kind);
    out.series.push_back({name, summary->kind, summary->last_slot * step_s, summary->first_slot * step_s,
                          family.unit, family.help, table_.retention().tiers(summary->retention).text()});
  }
  return out;
}

Result<SeriesPage> QueryEngine::list(const Glob& glob, size_t limit, QueryControl& control) const {
  SeriesPage out;
  // If names change meanwhile, the page mixes old and new ones.
  for (int i = 0; i < kAttemptsMax; ++i) {
    const uint64_t version = table_.names_version();
    const NameIndex::FirstNames found =
        table_.names()->first_names(glob, limit, [&control] { return control.should_stop(); });
    if (Status s = control.check(); !s) return s.error();
    out = page_of(found.names, found.has_more);
    if (table_.names_version() == version) break;
  }
  return out;
}

Result<SeriesPage> QueryEngine::list(std::span<const LabelMatcher> matchers, size_t limit,
                                     QueryControl& control) const {
  SeriesPage out;
  for (int i = 0; i < kAttemptsMax; ++i) {
    const uint64_t version = table_.names_version();
    const auto found = TableSeries(table_).select(matchers, control);
    if (!found) return found.error();
    std::vector<std::string> names;
    names.reserve(found->size());
    for (const SeriesRef& series : *found) names.push_back(series.name);
    std::ranges::sort(names);
    const bool has_more = names.size() > limit;
    names.resize(std::min(limit, names.size()));
    out = page_of(names, has_more);
    if (table_.names_version() == version) break;
  }
  return out;
}

}  // namespace statmill
