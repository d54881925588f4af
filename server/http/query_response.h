// Writes the answer of a query by names or labels to its client.
#pragma once

#include "server/http/http_message.h"
#include "server/http/query_parameters.h"
#include "server/http/series_form.h"
#include "server/query/body_sink.h"
#include "server/query/query.h"
#include "server/query/query_control.h"

namespace statmill {

// Writes JSON with the cost of the query, or CSV, as the parameters say. Returns an error of the sink, or a
// 422 if the answer is too long.
HttpResponse query_response(const QueryAnswer& answer, const QueryParameters& parameters, SeriesForm form,
                            const QueryControl& control, BodySink& sink);

// Writes a whole body to the sink. If that fails, the query was stopped.
HttpResponse written(BodySink& sink, std::string_view content_type, std::string_view body);

// Puts the cost before the last brace of an answer, which a line end follows.
std::string with_cost(std::string json, const QueryCost& cost);

}  // namespace statmill
