// PlanResult: all that a plan evaluates to, in memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/query/plan/nodes.h"
#include "server/query/query_control.h"
#include "server/query/series_source.h"

namespace statmill {

// Series, or a scalar, or a text.
struct PlanResult {
  std::vector<SeriesValues> series;  // ascending by labels, unless the root of the plan has an order
  std::optional<Numbers> scalar;     // one number per point
  std::optional<std::string> text;
  QueryNotes notes;
};

// Evaluates a plan, again if the names of series change meanwhile. The control counts the memory of the
// result until it ends. Errors: those of Evaluation::run(); kLimit: too many series, points or bytes; kBusy:
// names kept changing.
Result<PlanResult> evaluate_plan(SeriesSource& source, const plan::Plan& plan, const Grid& grid,
                                 QueryControl& control);

}  // namespace statmill
