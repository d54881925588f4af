// The answers of Graphite's /render and /functions.
#pragma once

#include <string>

#include "base/result.h"
#include "server/graphite/render_request.h"
#include "server/graphite/series.h"
#include "server/query/body_sink.h"

namespace statmill::graphite {

// Writes the series in the format of the request: [{"target":"a","tags":{"name":"a"},"datapoints":[[1.5,
// 1700000000],[null,1700000010]]}]; lines of NAME,TIME,VALUE; lines of NAME,FROM,UNTIL,STEP|VALUES; or
// {"labels":["Time","a"],"data":[[1700000000000,1.5]]}. Infinite values are 1e9999 in JSON, which JavaScript
// reads as Infinity. Errors: those of the sink.
Status write_render_answer(const SeriesList& list, const RenderRequest& request, BodySink& sink);

}  // namespace statmill::graphite
