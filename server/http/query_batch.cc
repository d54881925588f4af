#include "server/http/query_batch.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "server/http/query_service.h"
#include "server/json.h"

namespace statmill {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

// Rounds to microseconds: more digits say nothing.
void append_ms(std::string& out, Milliseconds time) {
  append_number(out, static_cast<double>(static_cast<int64_t>(time.count() * 1000)) / 1000);
}

// `"id":"p0","status":200,"ms":1.5`, after the brace.
std::string line_head(const BatchQuery& query, unsigned status, Milliseconds time) {
  std::string out = "{\"id\":";
  append_json_string(out, query.id);
  out.append(",\"status\":").append(std::to_string(status)).append(",\"ms\":");
  append_ms(out, time);
  return out;
}

std::string error_line(const BatchQuery& query, unsigned status, std::string_view error,
                       Milliseconds time = {}) {
  std::string out = line_head(query, status, time);
  out.append(",\"error\":");
  append_json_string(out, error);
  return out.append("}\n");
}

// Returns what error_response() has between its brace and its status: `"error":"..."`.
std::string_view error_member(std::string_view body) {
  const size_t end = body.rfind(",\"status\":");
  SM_CHECK(body.starts_with("{\"error\":") && end != std::string_view::npos);
  return body.substr(1, end - 1);
}

std::string text_of(const BatchQuery& query, std::string_view path) {
  std::string out(path);
  for (const Parameter& parameter : query.parameters) {
    out.append(out.size() == path.size() ? "?" : "&")
        .append(parameter.name)
        .append("=")
        .append(parameter.value);
    if (out.size() > kQueryTextBytes) break;
  }
  return out.substr(0, kQueryTextBytes);
}

}  // namespace

std::string QueryBatch::text() const {
  std::string out = "POST " + std::string(services_.series.path) + ", " + std::to_string(queries_.size()) +
                    (queries_.size() == 1 ? " query:" : " queries:");
  for (const BatchQuery& query : queries_) {
    if (out.size() > kQueryTextBytes) break;
    const bool is_series = query.kind == BatchQuery::Kind::kSeries;
    out.append(" ").append(text_of(query, is_series ? services_.series.path : services_.heatmap.path));
  }
  return out.substr(0, kQueryTextBytes);
}

HttpResponse QueryBatch::run(const QueryTurn& turn) {
  const bool is_among_small = turn.control.is_among_small();
  turn.sink.set_content_type(kNdjson);
  for (; next_ < queries_.size(); ++next_) {
    const std::string line = line_of(queries_[next_], turn, is_among_small);
    if (line.empty()) {
      turn.control.require_heavy();
      return {200, {}, kNdjson, {}};
    }
    bytes_ += line.size();
    if (Status s = turn.sink.write(line); !s) return error_response(s.error());
    if (Status s = turn.sink.flush(); !s) return error_response(s.error());
  }
  std::string end = "{\"done\":" + std::to_string(queries_.size()) + ",\"ms\":";
  append_ms(end, spent_);
  end.append(",\"now\":");
  append_number(end, static_cast<double>(services_.clock.wall().time_since_epoch().count()) / 1000);
  end.append(",\"names\":").append(std::to_string(services_.series_count())).append("}\n");
  if (Status s = turn.sink.write(end); !s) return error_response(s.error());
  return {200, {}, kNdjson, {}};
}

std::string QueryBatch::line_of(const BatchQuery& query, const QueryTurn& turn, bool is_among_small) {
  if (!query.error.empty()) return error_line(query, 400, query.error);
  QueryService* const service = turn.service;
  const QueryLimits limits = service == nullptr ? QueryLimits() : service->limits();
  const auto left = std::chrono::floor<Duration>(Milliseconds(limits.timeout) - spent_);
  if (left <= Duration(0)) return error_line(query, 503, "not reached: the batch took its whole time");
  const auto& endpoint = query.kind == BatchQuery::Kind::kSeries ? services_.series : services_.heatmap;
  const Url url{std::string(endpoint.path), query.parameters};
  if (const Status s = check_parameters(url, endpoint.parameters); !s)
    return error_line(query, 400, s.error().message);

  QueryControl control(limits, service == nullptr ? nullptr : &service->memory(), &services_.clock,
                       &turn.control);
  control.run_among_small(is_among_small);
  control.begin();
  control.lower_timeout(left);
  StringSink sink;
  const HttpResponse response = endpoint.handler(url, control, sink);
  const QueryCost cost = control.cost();
  const Milliseconds time(cost.ms);
  spent_ += time;
  if (control.is_too_heavy()) return {};
  turn.control.add_cost(cost);
  if (service != nullptr)
    service->account({endpoint.path, text_of(query, endpoint.path), turn.client, response.status}, control);
  if (response.status != 200) {
    std::string line = line_head(query, response.status, time);
    return line.append(",").append(error_member(response.body)).append("}\n");
  }
  if (sink.text().size() > kBatchAnswerBytesMax - std::min(bytes_, kBatchAnswerBytesMax)) {
    return error_line(query, 422,
                      "the answers of the batch exceed 64 MiB: ask for fewer points, or again alone", time);
  }
  return line_head(query, 200, time).append(",").append(sink.text(), 1);
}

void add_batches(std::vector<Route>& routes, const Clock& clock, std::function<uint64_t()> series_count) {
  const auto find = [&routes](std::string_view path) -> Route& {
    const auto route = std::ranges::find(routes, path, &Route::path);
    SM_CHECK(route != routes.end() && route->query);
    return *route;
  };
  const auto endpoint = [](const Route& route) {
    return BatchServices::Endpoint{route.path, route.parameters, route.query};
  };
  Route& series = find("/api/v1/query");
  const auto services = std::make_shared<const BatchServices>(
      BatchServices{endpoint(series), endpoint(find("/api/v1/heatmap")), clock, std::move(series_count)});
  series.json = [services](std::string_view body) -> Result<std::shared_ptr<QueryWork>> {
    auto queries = parse_batch_request(body);
    if (!queries) return queries.error();
    return std::shared_ptr<QueryWork>(std::make_shared<QueryBatch>(*services, *std::move(queries)));
  };
}

}  // namespace statmill
