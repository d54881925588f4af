#include "server/http/query_response.h"

#include <string>
#include <utility>

#include "base/stage.h"
#include "server/http/answer_buckets.h"
#include "server/http/answer_csv.h"
#include "server/http/answer_json.h"
#include "server/http/query_board.h"

namespace statmill {

HttpResponse written(BodySink& sink, std::string_view content_type, std::string_view body) {
  sink.set_content_type(content_type);
  if (const Status status = sink.write(body); !status) return error_response(status.error());
  return {200, {}, content_type, {}};
}

std::string with_cost(std::string json, const QueryCost& cost) {
  constexpr std::string_view kEnd = "}\n";
  json.resize(json.size() - kEnd.size());
  json.append(",\"cost\":");
  append_cost_json(json, cost);
  return json.append(kEnd);
}

HttpResponse query_response(const QueryAnswer& answer, const QueryParameters& parameters, SeriesForm form,
                            const QueryControl& control, BodySink& sink) {
  const InStage stage(Stage::kPrint);
  const auto& percentiles = parameters.request.percentiles;
  if (parameters.is_buckets) {
    const Status status = write_buckets(answer, sink);
    return status ? HttpResponse{200, {}, kNdjson, {}} : error_response(status.error());
  }
  if (parameters.is_csv) {
    const Status status = write_query_csv(answer, parameters.stats, percentiles, sink, form);
    return status ? HttpResponse{200, {}, kCsv, {}} : error_response(status.error());
  }
  Result<std::string> text = query_answer_json(answer, parameters.stats, percentiles, form);
  if (!text) return error_response(text.error());
  return written(sink, kJson, with_cost(*std::move(text), control.cost()));
}

}  // namespace statmill
