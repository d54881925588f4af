#include "server/promql/expression_route.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"
#include "server/http/query_parameters.h"
#include "server/http/query_response.h"
#include "server/promql/compile.h"
#include "server/promql/expression_answer.h"
#include "server/promql/parser.h"
#include "server/query/plan/result.h"

namespace statmill {
namespace {

Error invalid(std::string_view parameter, std::string_view what) {
  return {ErrorCode::kInvalid, "parameter " + std::string(parameter) + ": " + std::string(what)};
}

// Returns the selector that is the whole of an expression; nullptr if there is more.
const promql::Selector* only_selector(const promql::SyntaxTree& tree) {
  const promql::Expression* found = &tree.at(tree.root).expression;
  while (const auto* parentheses = std::get_if<promql::Parentheses>(found))
    found = &tree.at(parentheses->inner).expression;
  return std::get_if<promql::Selector>(found);
}

// Compiles the tree for the rows. Errors: kInvalid, kLimit if a function is not computed.
Result<plan::Plan> plan_of(const promql::SyntaxTree& tree, const Grid& grid) {
  auto plan = promql::compile(tree, {.start_ms = grid.start_ms, .end_ms = grid.end_ms});
  if (plan) return plan;
  const ErrorCode code =
      plan.error().code == ErrorCode::kUnavailable ? ErrorCode::kLimit : ErrorCode::kInvalid;
  return Error{code, "parameter expr: " + plan.error().message};
}

bool has_buckets(const SeriesValues& series) { return series.histograms.has_value(); }

// Moves the result into the answer, with the columns that the request names. Errors: kInvalid if the result
// has no such columns.
Result<ExpressionAnswer> answer_of(PlanResult result, const Grid& grid, const QueryParameters& parameters) {
  if (result.text) return invalid("expr", "a text has no points");
  ExpressionAnswer answer{grid, std::move(result.series), std::move(result.notes), parameters.stats,
                          parameters.request.percentiles};
  if (result.scalar) answer.series.push_back({{}, *std::move(result.scalar)});
  const bool names_columns = !answer.stats.empty() || !answer.percentiles.empty();
  if (names_columns && !std::ranges::all_of(answer.series, has_buckets)) {
    return invalid("stats",
                   "the expression has one number per point: leave stats out, or ask for a selector or for "
                   "buckets_over_time()");
  }
  if (std::ranges::find(answer.stats, Stat::kRate) != answer.stats.end())
    return invalid("stats", "no rate of an expression: use the function rate()");
  if (!names_columns) answer.stats = {Stat::kAvg};
  return answer;
}

// What the handler of expressions uses.
struct ExpressionServices {
  PrometheusSources sources;
  const Queries& queries;
};

// The buckets of the series that a selector names, slot by slot, as for a query by names.
HttpResponse answer_selector(const ExpressionServices& services, const promql::SyntaxTree& tree,
                             QueryParameters parameters, QueryControl& control, BodySink& sink) {
  const promql::TimeShift& shift = only_selector(tree)->shift;
  if (shift.at != promql::At::kEvaluation || shift.offset != Duration(0))
    return error_response(invalid("stats", "a selector has no offset and no @ here: use from and until"));
  const auto plan = plan_of(tree, {});
  if (!plan) return error_response(plan.error());
  parameters.request.matchers = std::get<plan::Leaf>(plan->nodes[plan->root]).matchers;
  const auto answer = services.queries.run(parameters.request, services.sources.clock.wall(), control);
  if (!answer) return error_response(answer.error());
  return query_response(*answer, parameters, SeriesForm::kLabels, control, sink);
}

HttpResponse answer_values(const ExpressionServices& services, const promql::SyntaxTree& tree,
                           const QueryParameters& parameters, QueryControl& control, BodySink& sink) {
  const auto& [series, catalog, clock] = services.sources;
  const Timestamp now = clock.wall();
  const auto most = static_cast<int64_t>(control.limits().points_max);
  // Seconds are only a step that is asked for, since series that keep none would repeat their values.
  const Retention& retention = series.retention.get();
  const Tiers kept = parameters.request.step_s ? retention.longest() : retention.tiers();
  const auto bins = plan_bins(parameters.request, kept, most, now);
  if (!bins) return error_response(bins.error());
  const Grid grid = expression_grid(bins->bins);
  const auto plan = plan_of(tree, grid);
  if (!plan) return error_response(plan.error());
  StoredSeries source(series, control, now);
  auto result = evaluate_plan(source, *plan, grid, control);
  if (!result) return error_response(result.error());
  const auto answer = answer_of(*std::move(result), grid, parameters);
  if (!answer) return error_response(answer.error());
  const Status status =
      parameters.is_csv ? write_expression_csv(*answer, sink) : write_expression_json(*answer, control, sink);
  if (!status) return error_response(status.error());
  return {200, {}, parameters.is_csv ? kCsv : kJson, {}};
}

HttpResponse answer_expression(const ExpressionServices& services, const Url& url, QueryControl& control,
                               BodySink& sink) {
  auto parameters = parse_expression_parameters(url, services.sources.clock.wall());
  if (!parameters) return error_response(parameters.error());
  auto& [expression, query] = *parameters;
  const auto tree = promql::parse_promql(expression);
  if (!tree) return error_response(invalid("expr", tree.error().message));
  if (query.timeout) control.lower_timeout(*query.timeout);
  const bool has_columns = !query.stats.empty() || !query.request.percentiles.empty();
  if (has_columns && only_selector(*tree) != nullptr)
    return answer_selector(services, *tree, std::move(query), control, sink);
  return answer_values(services, *tree, query, control, sink);
}

}  // namespace

Grid expression_grid(const Bins& bins) {
  const int64_t last_s = bins.until_s / bins.step_s * bins.step_s;
  const int64_t first_s = bins.from_s / bins.step_s * bins.step_s + bins.step_s;
  if (bins.count == 1 || first_s > last_s)
    return {.start_ms = bins.until_s * 1000, .end_ms = bins.until_s * 1000, .step_ms = bins.step_s * 1000};
  return {.start_ms = first_s * 1000, .end_ms = last_s * 1000, .step_ms = bins.step_s * 1000};
}

void answer_expressions(std::vector<Route>& routes, const PrometheusSources& sources,
                        const Queries& queries) {
  const auto route = std::ranges::find(routes, "/api/v1/query", &Route::path);
  SM_CHECK(route != routes.end());
  route->query = [services = ExpressionServices{sources, queries}, by_names = std::move(route->query)](
                     const Url& url, QueryControl& control, BodySink& sink) {
    if (url.find("series") && !url.find("expr")) return by_names(url, control, sink);
    if (!url.find("expr")) return error_response(invalid("series or expr", "missing"));
    return answer_expression(services, url, control, sink);
  };
}

}  // namespace statmill
