#include "server/http/handlers.h"

#include <algorithm>

#include "server/http/answer_json.h"
#include "server/http/query_parameters.h"
#include "server/http/query_response.h"

namespace statmill {
namespace {

constexpr std::string_view kPrometheusText = "text/plain; version=0.0.4; charset=utf-8";

HttpResponse json(unsigned status, std::string body) { return {status, std::move(body), kJson, {}}; }

}  // namespace

HttpResponse handle_series(const HttpServices& services, const Url& url, QueryControl& control,
                           BodySink& sink) {
  const Result<SeriesParameters> parameters = parse_series_parameters(url);
  if (!parameters) return error_response(parameters.error());
  const auto page = services.queries.list(parameters->match, parameters->limit, control);
  if (!page) return error_response(page.error());
  return written(sink, kJson, series_list_json(*page));
}

HttpResponse handle_tree(const HttpServices& services, const Url& url, QueryControl& control,
                         BodySink& sink) {
  const Result<Queries::TreeRequest> request = parse_tree_parameters(url);
  if (!request) return error_response(request.error());
  const Result<TreePage> page = services.queries.tree(*request, control);
  if (!page) return error_response(page.error());
  return written(sink, kJson, tree_json(request->prefix, *page));
}

HttpResponse handle_query(const HttpServices& services, const Url& url, QueryControl& control,
                          BodySink& sink) {
  const Timestamp now = services.clock.wall();
  const Result<QueryParameters> parameters = parse_query_parameters(url, now);
  if (!parameters) return error_response(parameters.error());
  if (parameters->timeout) control.lower_timeout(*parameters->timeout);
  const Result<QueryAnswer> answer = services.queries.run(parameters->request, now, control);
  if (!answer) return error_response(answer.error());
  return query_response(*answer, *parameters, SeriesForm::kName, control, sink);
}

HttpResponse handle_heatmap(const HttpServices& services, const Url& url, QueryControl& control,
                            BodySink& sink) {
  const Timestamp now = services.clock.wall();
  const Result<HeatmapParameters> parameters = parse_heatmap_parameters(url, now);
  if (!parameters) return error_response(parameters.error());
  const auto& [query, grouping_power] = *parameters;
  if (query.timeout) control.lower_timeout(*query.timeout);
  const Result<QueryAnswer> merged = services.queries.run(query.request, now, control);
  if (!merged) return error_response(merged.error());
  const auto rows = heatmap_rows(merged->series.front().points, grouping_power, control);
  if (!rows) return error_response(rows.error());
  Result<std::string> text = heatmap_json(*merged, *rows, query.stats, query.request.percentiles);
  if (!text) return error_response(text.error());
  return written(sink, kJson, with_cost(*std::move(text), control.cost()));
}

HttpResponse handle_lines(const HttpServices& services, const Url&, std::string_view body) {
  const LinesAccount account =
      services.lines.submit({.text = body, .sender = LineSender::http(), .now = services.clock.wall()});
  const auto is_some = [](uint64_t n) { return n > 0; };
  const bool any_refused = std::any_of(account.refused.begin(), account.refused.end(), is_some);
  return json(any_refused ? 400 : 200, lines_account_json(account));
}

HttpResponse handle_status(const HttpServices& services, const HttpRequest& request) {
  return json(200, services.reports.status({.may_write = request.role >= Role::kWrite,
                                            .may_administer = request.role >= Role::kAdmin}));
}

HttpResponse handle_rejects(const HttpServices& services, const Url&, std::string_view) {
  return json(200, services.reports.rejects());
}

HttpResponse handle_queries(const HttpServices& services, const Url&, std::string_view) {
  return json(200, services.board.json());
}

HttpResponse handle_agents(const HttpServices& services, const Url& url, std::string_view) {
  const auto filter = parse_agent_filter(url, services.clock.wall());
  if (!filter) return error_response(filter.error());
  return json(200, services.reports.agents(*filter));
}

HttpResponse handle_retention(const HttpServices& services, const Url& url, std::string_view) {
  const Result<std::string> name = parse_series_name(url);
  if (!name) return error_response(name.error());
  return json(200, services.reports.retention(*name));
}

HttpResponse handle_hosts(const HttpServices& services, const Url&, std::string_view) {
  return json(200, services.reports.hosts());
}

HttpResponse handle_cardinality(const HttpServices& services, const Url& url, std::string_view) {
  const Result<size_t> parts = parse_cardinality_parts(url);
  if (!parts) return error_response(parts.error());
  return json(200, services.reports.cardinality(*parts));
}

HttpResponse handle_healthz(const HttpServices& services, const Url&, std::string_view) {
  if (services.reports.makes_progress()) return {200, "ok\n", kPlainText, {}};
  return {503, "the server hangs; see /readyz\n", kPlainText, {}};
}

HttpResponse handle_readyz(const HttpServices& services, const Url&, std::string_view) {
  return json(services.health.problems().empty() ? 200 : 503, readiness_json(services.health));
}

HttpResponse handle_no_live(const HttpServices&, const Url&, std::string_view) {
  return error_response(503, "there are no live streams here");
}

HttpResponse handle_metrics(const HttpServices& services, const Url&, std::string_view) {
  return {200, prometheus_text(services.registry.read()), kPrometheusText, {}};
}

}  // namespace statmill
