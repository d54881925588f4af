// Functions that combine series pair by pair, by wildcards, by the nodes of their paths, and by tags.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "server/graphite/functions/common.h"
#include "server/graphite/target_parser.h"

namespace statmill::graphite {
namespace {

// Lists of series by a key, in the order in which the keys come.
class Groups {
 public:
  void add(std::string key, Series series) {
    const auto [at, is_new] = index_.try_emplace(std::move(key), lists_.size());
    if (is_new) {
      keys_.push_back(at->first);
      lists_.emplace_back();
    }
    lists_[at->second].push_back(std::move(series));
  }
  size_t size() const { return lists_.size(); }
  const std::string& key(size_t i) const { return keys_[i]; }
  SeriesList& list(size_t i) { return lists_[i]; }

 private:
  std::map<std::string, size_t> index_;
  std::vector<std::string> keys_;
  SeriesLists lists_;
};

// Groups series by the nodes of their paths. Errors: those of the call, which the work and the keys are
// charged to.
Result<Groups> groups_by_nodes(Call& call, SeriesList list, std::span<const Value> nodes) {
  constexpr size_t kBytesOfGroup = 256;  // of its list and of the map
  Groups groups;
  for (Series& series : list) {
    if (Status s = call.work(1 + series.path.size() / 8); !s) return s.error();
    std::string key = key_of(series, nodes);
    if (Status s = call.hold_memory(kBytesOfGroup + 2 * key.size()); !s) return s.error();
    groups.add(std::move(key), std::move(series));
  }
  return groups;
}

Result<Value> aggregated_lists(Call& call, std::string_view function, std::optional<double> x_files_factor) {
  const SeriesList first = call.take(0);
  const SeriesList second = call.take(1);
  if (first.size() != second.size()) return call.error("the lists are of different lengths");
  SeriesList out;
  for (size_t i = 0; i < first.size(); ++i) {
    auto result = aggregate(call, {first[i], second[i]}, {function, x_files_factor});
    if (!result) return result.error();
    std::string& name = result->front().name;
    name = name.substr(0, name.find("Series(")) + "Series(" + first[i].name + "," + second[i].name + ")";
    out.push_back(std::move(result->front()));
  }
  return Value(std::move(out));
}

Result<Value> run_aggregate_series_lists(Call& call) {
  const std::string function = call.text(2);
  return aggregated_lists(call, function, call.optional_number(3));
}
Result<Value> run_diff_series_lists(Call& call) { return aggregated_lists(call, "diff", std::nullopt); }
Result<Value> run_multiply_series_lists(Call& call) {
  return aggregated_lists(call, "multiply", std::nullopt);
}
Result<Value> run_sum_series_lists(Call& call) { return aggregated_lists(call, "sum", std::nullopt); }

// The name of a series without the nodes at some positions.
std::string name_without(const Series& series, const std::set<int64_t>& positions) {
  std::string out;
  int64_t node = 0;
  bool is_first = true;
  for (size_t begin = 0; begin <= series.name.size(); ++node) {
    const size_t end = std::min(series.name.find('.', begin), series.name.size());
    if (!positions.contains(node)) {
      out.append(is_first ? "" : ".").append(series.name, begin, end - begin);
      is_first = false;
    }
    begin = end + 1;
  }
  return out;
}

std::set<int64_t> integers_of(std::span<const Value> values) {
  std::set<int64_t> out;
  for (const Value& value : values) out.insert(static_cast<int64_t>(std::get<Number>(value).value));
  return out;
}

GroupOf groups_of_wildcards(std::span<const Value> arguments) {
  return [positions = integers_of(arguments.subspan(2))](const Series& series) {
    return name_without(series, positions);
  };
}

// Combines the series whose names are equal without the nodes at some positions.
Result<Value> without_nodes(Call& call, std::string_view function, size_t first_position) {
  const std::set<int64_t> positions = integers_of(call.rest(first_position));
  Groups groups;
  for (Series& series : call.take(0)) {
    std::string key = name_without(series, positions);
    groups.add(std::move(key), std::move(series));
  }
  SeriesList out;
  for (size_t i = 0; i < groups.size(); ++i) {
    auto result = aggregate(call, groups.list(i), {.function = function});
    if (!result) return result.error();
    result->front().name = groups.key(i);
    out.push_back(std::move(result->front()));
  }
  return Value(std::move(out));
}

Result<Value> run_aggregate_with_wildcards(Call& call) {
  const std::string function = call.text(1);
  return without_nodes(call, function, 2);
}
Result<Value> run_average_with_wildcards(Call& call) { return without_nodes(call, "average", 1); }
Result<Value> run_multiply_with_wildcards(Call& call) { return without_nodes(call, "multiply", 1); }
Result<Value> run_sum_with_wildcards(Call& call) { return without_nodes(call, "sum", 1); }

// Combines a group by a function of values, or by one that combines series.
Result<std::optional<Series>> called_back(Call& call, const std::string& callback, SeriesList list) {
  const Function* function = find_function(callback);
  auto result = function != nullptr && function->combines ? call.call_with(*function, std::move(list))
                                                          : aggregate(call, list, {.function = callback});
  if (!result) return result.error();
  if (result->empty()) return std::optional<Series>();
  return std::optional(std::move(result->front()));
}

Result<Value> grouped_by_nodes(Call& call, const std::string& callback, std::span<const Value> nodes) {
  auto groups = groups_by_nodes(call, call.take(0), nodes);
  if (!groups) return groups.error();
  SeriesList out;
  for (size_t i = 0; i < groups->size(); ++i) {
    auto result = called_back(call, callback, std::move(groups->list(i)));
    if (!result) return result.error();
    if (!*result) continue;
    (*result)->name = groups->key(i);
    out.push_back(**std::move(result));
  }
  return Value(std::move(out));
}

Result<Value> run_group_by_node(Call& call) {
  const Value node = call.at(1);
  return grouped_by_nodes(call, call.text(2), {&node, 1});
}
Result<Value> run_group_by_nodes(Call& call) { return grouped_by_nodes(call, call.text(1), call.rest(2)); }

GroupOf groups_of_nodes(std::span<const Value> nodes) {
  return [nodes = std::vector(nodes.begin(), nodes.end())](const Series& series) {
    return key_of(series, nodes);
  };
}
GroupOf groups_of_node(std::span<const Value> arguments) { return groups_of_nodes(arguments.subspan(1, 1)); }
GroupOf groups_of_all_nodes(std::span<const Value> arguments) {
  return groups_of_nodes(arguments.subspan(2));
}

std::string tag_of(const Series& series, const std::string& tag) {
  const auto found = series.tags.find(tag);
  return found == series.tags.end() ? std::string() : found->second;
}

// The values of tags, as the names of groups have them.
std::string tags_text(const Series& series, const std::set<std::string>& tags) {
  std::string out;
  for (const std::string& tag : tags) out.append(";").append(tag).append("=").append(tag_of(series, tag));
  return out;
}

std::set<std::string> texts_of(std::span<const Value> values) {
  std::set<std::string> out;
  for (const Value& value : values) out.insert(std::get<std::string>(value));
  return out;
}

GroupOf groups_of_tags(std::span<const Value> arguments) {
  std::set<std::string> tags = texts_of(arguments.subspan(2));
  const bool by_name = tags.erase("name") > 0;
  return [by_name, tags = std::move(tags)](const Series& series) {
    return (by_name ? tag_of(series, "name") : std::string()) + tags_text(series, tags);
  };
}

Result<Value> run_group_by_tags(Call& call) {
  const std::string callback = call.text(1);
  std::set<std::string> tags = texts_of(call.rest(2));
  if (tags.empty()) return call.error("it needs a tag");
  SeriesList list = call.take(0);
  const bool by_name = tags.erase("name") > 0;
  const bool is_one_name = std::ranges::all_of(
      list, [&](const Series& one) { return tag_of(one, "name") == tag_of(list.front(), "name"); });
  Groups groups;
  for (Series& series : list) {
    std::string key = by_name || is_one_name ? tag_of(series, "name") : callback;
    key.append(tags_text(series, tags));
    groups.add(std::move(key), std::move(series));
  }
  SeriesList out;
  for (size_t i = 0; i < groups.size(); ++i) {
    const Series first = groups.list(i).front();
    auto result = called_back(call, callback, std::move(groups.list(i)));
    if (!result) return result.error();
    if (!*result) continue;
    Series& series = **result;
    series.rename(groups.key(i));
    series.tags = {{"name", series.name.substr(0, series.name.find(';'))}};
    for (const std::string& tag : tags) set_tag(series, tag, tag_of(first, tag));
    out.push_back(std::move(series));
  }
  return Value(std::move(out));
}

Result<Value> run_map_series(Call& call) {
  auto groups = groups_by_nodes(call, call.take(0), call.rest(1));
  if (!groups) return groups.error();
  SeriesLists out;
  for (size_t i = 0; i < groups->size(); ++i) out.push_back(std::move(groups->list(i)));
  return Value(std::move(out));
}

std::vector<std::string> nodes_of(const std::string& name) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    out.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

// Calls a function with lists of one series each, and returns its first series.
Result<Value> run_reduce_series(Call& call) {
  const SeriesLists lists = call.take_lists(0);
  const std::string function_name = call.text(1);
  const Function* function = find_function(function_name);
  if (function == nullptr) return call.error("no function is called " + function_name);
  const int64_t node = call.integer(2);
  std::vector<std::string> matchers;
  for (size_t i = 3; i < call.size(); ++i) matchers.push_back(call.text(i));
  std::vector<std::string> keys;
  std::map<std::string, std::vector<std::optional<Series>>> found;
  for (const SeriesList& list : lists) {
    for (const Series& series : list) {
      const std::vector<std::string> nodes = nodes_of(series.name);
      const int64_t at = node < 0 ? node + static_cast<int64_t>(nodes.size()) : node;
      if (at < 0 || at >= static_cast<int64_t>(nodes.size())) continue;
      const auto matcher = std::ranges::find(matchers, nodes[static_cast<size_t>(at)]);
      if (matcher == matchers.end()) continue;
      std::string key;
      for (int64_t i = 0; i < at; ++i) key.append(i == 0 ? "" : ".").append(nodes[static_cast<size_t>(i)]);
      key.append(".reduce.").append(function_name);
      if (!found.contains(key)) {
        if (Status s = call.hold_memory(matchers.size() * sizeof(std::optional<Series>)); !s)
          return s.error();
      }
      auto [place, is_new] = found.try_emplace(key, matchers.size());
      if (is_new) keys.push_back(key);
      place->second[static_cast<size_t>(matcher - matchers.begin())] = series;
    }
  }
  SeriesList out;
  for (const std::string& key : keys) {
    SeriesLists arguments;
    for (std::optional<Series>& series : found[key]) {
      if (!series) return call.error("a series of " + key + " is missing");
      arguments.emplace_back().push_back(*std::move(series));
    }
    auto result = call.call_with_lists(*function, std::move(arguments));
    if (!result) return result.error();
    if (result->empty()) continue;
    result->front().name = key;
    out.push_back(std::move(result->front()));
  }
  return Value(std::move(out));
}

// Puts a prefix in place of each % of a text. Returns nullopt if that is longer than a target may be.
std::optional<std::string> with_prefix(std::string_view text, std::string_view prefix) {
  std::string out;
  for (const char c : text) {
    c == '%' ? void(out.append(prefix)) : out.push_back(c);
    if (out.size() > kTargetTextMax) return std::nullopt;
  }
  return out;
}

Result<Value> run_apply_by_node(Call& call) {
  const int64_t node = call.integer(1);
  const SeriesList list = call.take(0);
  std::set<std::string> prefixes;
  for (const Series& series : list) {
    const std::vector<std::string> nodes = nodes_of(series.name);
    const auto end = node < 0 ? node + 1 + static_cast<int64_t>(nodes.size()) : node + 1;
    std::string prefix;
    for (int64_t i = 0; i < std::min<int64_t>(end, static_cast<int64_t>(nodes.size())); ++i)
      prefix.append(i == 0 ? "" : ".").append(nodes[static_cast<size_t>(i)]);
    prefixes.insert(std::move(prefix));
  }
  SeriesList out;
  for (const std::string& prefix : prefixes) {
    const auto target = with_prefix(call.text(2), prefix);
    const auto name = call.has(3) ? with_prefix(call.text(3), prefix) : std::string();
    if (!target || !name)
      return call.error("a target or a name has more than " + std::to_string(kTargetTextMax) + " bytes");
    auto result = call.evaluate(*target);
    if (!result) return result.error();
    if (Status s = call.hold_memory(result->size() * name->size()); !s) return s.error();
    for (Series& series : *result) {
      if (call.has(3)) series.name = *name;
      series.path = prefix;
      out.push_back(std::move(series));
    }
  }
  return Value(std::move(out));
}

}  // namespace

std::span<const Function> list_functions() {
  static const Function kFunctions[] = {
      {"aggregateSeriesLists", "Combine",
       "seriesListFirstPos:seriesList! seriesListSecondPos:seriesList! func:aggFunc! xFilesFactor:float",
       "Combines each series with the one at the same place of the other list.", run_aggregate_series_lists,
       Passing::kMerge},
      {"diffSeriesLists", "Combine", "seriesListFirstPos:seriesList! seriesListSecondPos:seriesList!",
       "Each series minus the one at the same place of the other list.", run_diff_series_lists},
      {"multiplySeriesLists", "Combine", "seriesListFirstPos:seriesList! seriesListSecondPos:seriesList!",
       "Each series times the one at the same place of the other list.", run_multiply_series_lists},
      {"sumSeriesLists", "Combine", "seriesListFirstPos:seriesList! seriesListSecondPos:seriesList!",
       "Each series plus the one at the same place of the other list.", run_sum_series_lists},
      {"aggregateWithWildcards", "Combine", "seriesList! func:aggFunc! position:node*",
       "Combines series whose names are equal but for the nodes at these positions.",
       run_aggregate_with_wildcards, Passing::kMerge, false, groups_of_wildcards},
      {"averageSeriesWithWildcards", "Combine", "seriesList! position:node*",
       "aggregateWithWildcards() by the mean.", run_average_with_wildcards},
      {"multiplySeriesWithWildcards", "Combine", "seriesList! position:node*",
       "aggregateWithWildcards() by the product.", run_multiply_with_wildcards},
      {"sumSeriesWithWildcards", "Combine", "seriesList! position:node*",
       "aggregateWithWildcards() by the sum.", run_sum_with_wildcards},
      {"applyByNode", "Combine", "seriesList! nodeNum:node! templateFunction:string! newName:string",
       "Evaluates a target for each path up to a node, which replaces % in it.", run_apply_by_node},
      {"groupByNode", "Combine", "seriesList! nodeNum:nodeOrTag! callback:aggOrSeriesFunc=average",
       "Combines the series that have the same node, which is the name then.", run_group_by_node,
       Passing::kMerge, false, groups_of_node},
      {"groupByNodes", "Combine", "seriesList! callback:aggOrSeriesFunc! nodes:nodeOrTag*",
       "Combines the series that have the same nodes.", run_group_by_nodes, Passing::kMerge, false,
       groups_of_all_nodes},
      {"groupByTags", "Combine", "seriesList! callback:aggOrSeriesFunc! tags:tag!*",
       "Combines the series that have the same values of these tags.", run_group_by_tags, Passing::kMerge,
       false, groups_of_tags},
      {"map", "Combine", "seriesList! mapNodes:nodeOrTag!*", "The same as mapSeries().", run_map_series},
      {"mapSeries", "Combine", "seriesList! mapNodes:nodeOrTag!*",
       "A list for each value of the nodes, for reduceSeries().", run_map_series},
      {"reduce", "Combine", "seriesLists! reduceFunction:string! reduceNode:node! reduceMatchers:string!*",
       "The same as reduceSeries().", run_reduce_series},
      {"reduceSeries", "Combine",
       "seriesLists! reduceFunction:string! reduceNode:node! reduceMatchers:string!*",
       "Calls a function for each list of mapSeries(), with those series as arguments whose node matches.",
       run_reduce_series},
  };
  return kFunctions;
}

}  // namespace statmill::graphite
