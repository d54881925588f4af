// Which node of a plan computes a function of PromQL.
#pragma once

#include <optional>
#include <string_view>

#include "server/query/plan/nodes.h"

namespace statmill::promql {

struct RangeFunction {
  LeafFunction function = LeafFunction::kAvg;
  bool keeps_name = false;
};

// Each returns nullopt for names of other groups.
std::optional<RangeFunction> range_function(std::string_view name);     // of a range vector
std::optional<plan::MapFunction> map_function(std::string_view name);   // of each value
std::optional<plan::MapFunction> date_function(std::string_view name);  // the same, of times
std::optional<plan::HistogramFunction> histogram_function(std::string_view name);
std::optional<plan::GroupFunction> group_function(std::string_view name);  // aggregations
std::optional<plan::RankFunction> rank_function(std::string_view name);

}  // namespace statmill::promql
