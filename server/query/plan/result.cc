#include "server/query/plan/result.h"

#include <algorithm>
#include <utility>

#include "server/query/attempts.h"
#include "server/query/ops/histogram_columns.h"
#include "server/query/plan/evaluation.h"

namespace statmill {
namespace {

bool has_order(const plan::Node& root) {
  return std::holds_alternative<plan::Sort>(root) || std::holds_alternative<plan::Rank>(root);
}

Result<PlanResult> evaluate_once(SeriesSource& source, const plan::Plan& plan, const Grid& grid,
                                 QueryControl& control) {
  PlanResult result;
  const plan::Node& root = plan.nodes[plan.root];
  if (const auto* text = std::get_if<plan::Text>(&root)) {
    result.text = text->value;
    return result;
  }
  const QueryLimits& limits = control.limits();
  if (grid.points() > limits.points_max) return control.refuse(QueryLimit::kPoints, grid.points());
  Evaluation evaluation(plan, source, control, result.notes);
  if (plan::is_scalar(root)) {
    auto numbers = evaluation.run_scalar(grid);
    if (!numbers) return numbers.error();
    result.scalar = *std::move(numbers);
    return result;
  }
  const Status status = evaluation.run(grid, [&](SeriesValues series) -> Status {
    const size_t count = result.series.size() + 1;
    if (count > limits.series_max) return control.refuse(QueryLimit::kSeries, count);
    if (count * grid.points() > limits.points_max)
      return control.refuse(QueryLimit::kPoints, count * grid.points());
    if (Status s = control.take_memory(memory_bytes_of(series)); !s) return s;
    result.series.push_back(std::move(series));
    return Status::ok();
  });
  if (!status) return status.error();
  if (!has_order(root)) std::ranges::stable_sort(result.series, {}, &SeriesValues::labels);
  return result;
}

}  // namespace

Result<PlanResult> evaluate_plan(SeriesSource& source, const plan::Plan& plan, const Grid& grid,
                                 QueryControl& control) {
  return run_attempts(control, [&] {
    const void* const before = source.moment();
    auto result = evaluate_once(source, plan, grid, control);
    if (result && source.moment() != before) result = retention_changed();
    return result;
  });
}

}  // namespace statmill
