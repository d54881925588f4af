#include "server/promql/range_vector.h"

#include <utility>
#include <variant>

#include "server/query/ops/subqueries.h"
#include "server/query/tier_choice.h"

namespace statmill {
namespace {

// Each window ends with the slot under way: a slot belongs to the time at which it begins.
int64_t next_slot_ms(int64_t time_ms, int64_t slot_ms) {
  const int64_t rest = time_ms % slot_ms;
  return rest > 0 ? time_ms - rest + slot_ms : time_ms - rest;
}

int64_t window_end_ms(const promql::TimeShift& shift, const promql::CompileOptions& options) {
  const int64_t at_ms = shift.at == promql::At::kTime ? shift.at_ms : options.end_ms;
  return at_ms - shift.offset.count();
}

std::optional<Grid> slot_points(int64_t begin_ms, int64_t end_ms, int64_t slot_ms) {
  const Grid grid{.start_ms = next_slot_ms(begin_ms, slot_ms) + slot_ms,
                  .end_ms = next_slot_ms(end_ms, slot_ms),
                  .step_ms = slot_ms};
  if (grid.start_ms > grid.end_ms) return std::nullopt;
  return grid;
}

}  // namespace

Result<std::optional<RangeVector>> compile_range_vector(const promql::SyntaxTree& tree,
                                                        const promql::CompileOptions& options,
                                                        const Tiers& tiers, Timestamp now) {
  const promql::Expression* root = &tree.at(tree.root).expression;
  while (const auto* parentheses = std::get_if<promql::Parentheses>(root))
    root = &tree.at(parentheses->inner).expression;
  promql::CompileOptions inside = options;
  inside.takes_range = true;
  std::optional<Grid> points;
  int64_t slot_ms = 0;  // a sample of a selector is at the begin of the slot that ends at its point
  if (const auto* range = std::get_if<promql::RangeSelector>(root)) {
    const int64_t end_ms = window_end_ms(range->selector.shift, options);
    const int64_t begin_ms = end_ms - range->range.count();
    const TierNo tier = finest_covering(tiers, begin_ms / 1000, unix_seconds(now));
    slot_ms = tiers[tier].step_s * 1000;
    inside.lookback_ms = slot_ms;
    points = slot_points(begin_ms, end_ms, slot_ms);
  } else {
    const auto& subquery = std::get<promql::Subquery>(*root);
    const int64_t step_ms = subquery.step.count();
    const int64_t end_ms = window_end_ms(subquery.shift, options);
    plan::Subquery node;
    node.range_ms = subquery.range.count();
    node.step_ms = step_ms > 0 ? step_ms : promql::kDefaultSubqueryStepMs;
    points = subquery_grid(node, {.start_ms = end_ms, .end_ms = end_ms, .step_ms = 1});
  }
  auto plan = promql::compile(tree, inside);
  if (!plan) return plan.error();
  if (!points) return std::optional<RangeVector>();
  const Grid times{points->start_ms - slot_ms, points->end_ms - slot_ms, points->step_ms};
  return std::optional(RangeVector{*std::move(plan), *points, times});
}

}  // namespace statmill
