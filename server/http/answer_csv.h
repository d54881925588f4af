// Writes the answer of a query as CSV (RFC 4180), for spreadsheets and scripts.
#pragma once

#include <span>

#include "base/result.h"
#include "server/http/series_form.h"
#include "server/query/body_sink.h"
#include "server/query/query.h"

namespace statmill {

// One line per slot: the start of the slot in unix seconds, then one field for each series and stat, in the
// order of the answer; empty where the slot is. The first line has the names: time,NAME:STAT,... Lines end in
// CR LF. A name is written as append_csv_text() does. With kLabels NAME is a selector, up{job="a"}. Returns
// the first error of the sink.
Status write_query_csv(const QueryAnswer& answer, std::span<const Stat> stats,
                       std::span<const Percentile> percentiles, BodySink& sink,
                       SeriesForm form = SeriesForm::kName);

}  // namespace statmill
