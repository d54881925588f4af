// PlanResult: all that a plan evaluates to, in memory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/query/plan/nodes.h"
#include "server/query/query_control.h"
#include "server/query/series_source.h"

namespace statmill {

// Series, or a scalar, or a text.
struct PlanResult {
  // Ascending by labels, unless the root of the plan has an order. The numbers and the histograms of one
  // series are two elements, one after the other.
  std::vector<SeriesValues> series;
  std::optional<Numbers> scalar;  // one number per point
  std::optional<std::string> text;
  QueryNotes notes;
};

// Evaluates a plan, again if the names of series change meanwhile. The control counts the memory of the
// result until it ends. Errors: those of Evaluation::run(); kLimit: too many series, points or bytes; kBusy:
// names kept changing.
Result<PlanResult> evaluate_plan(SeriesSource& source, const plan::Plan& plan, const Grid& grid,
                                 QueryControl& control);

// Calls `visit` with the elements of each series, one or two, until it fails; returns its error then.
template <class Visit>
Status for_each_series(std::span<const SeriesValues> all, const Visit& visit) {
  while (!all.empty()) {
    const bool has_both = all.size() > 1 && all[0].labels == all[1].labels;
    const size_t count = has_both ? 2 : 1;
    if (Status status = visit(all.first(count)); !status) return status;
    all = all.subspan(count);
  }
  return Status::ok();
}

}  // namespace statmill
