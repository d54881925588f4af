// The functions of targets as JSON, as Graphite's /functions has them and Grafana reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/graphite/function.h"

namespace statmill::graphite {

struct FunctionListOptions {
  bool is_grouped = false;                // an object of objects by group
  std::optional<std::string_view> group;  // only this group
};

// {"scale":{"name":"scale","function":"scale(seriesList, factor)","description":"...","module":
// "graphite.render.functions","group":"Transform","params":[{"name":"seriesList","type":"seriesList",
// "required":true},...]},...} and a line end.
std::string functions_json(const FunctionListOptions& options);
std::string function_json(const Function& function);

}  // namespace statmill::graphite
