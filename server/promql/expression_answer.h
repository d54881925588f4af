// The answer of GET /api/v1/query to an expression: aligned columns over the rows of a grid, as JSON or CSV.
#pragma once

#include <vector>

#include "base/result.h"
#include "server/query/body_sink.h"
#include "server/query/query.h"
#include "server/query/query_control.h"
#include "server/query/series_source.h"

namespace statmill {

// The columns of a series are `value`, or, if it has buckets, these stats and percentiles.
struct ExpressionAnswer {
  Grid grid;                         // in whole seconds
  std::vector<SeriesValues> series;  // in the order of the answer
  QueryNotes notes;
  std::vector<Stat> stats = {};  // not kRate, which needs to know how long a bucket is
  std::vector<Percentile> percentiles = {};
};

// {"from":100,"until":120,"step":10,"tier":10,"series":[{"labels":{"host":"a"},"value":[1.5,null]}],
// "infos":["..."],"cost":{...}} and a line end. `tier` is null if nothing stored was read; NaN and infinities
// are the texts "NaN", "+Inf" and "-Inf". Errors: those of the sink.
Status write_expression_json(const ExpressionAnswer& answer, const QueryControl& control, BodySink& sink);

// A line with `time` and LABELS:COLUMN of each column, then a line per row; absent values are empty. Errors:
// those of the sink.
Status write_expression_csv(const ExpressionAnswer& answer, BodySink& sink);

}  // namespace statmill
