// Writes the answers of the API as JSON. Stats are written as AnswerNumber does it, other numbers in the
// shortest form that parses to the same double; an empty slot is `null`. Every text is one object and a line
// end.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/line_intake.h"
#include "server/health.h"
#include "server/http/series_form.h"
#include "server/query/heatmap.h"
#include "server/query/labels.h"
#include "server/query/query.h"

namespace statmill {

// The limit of one answer: a number takes up to 24 bytes, and a query may request millions.
inline constexpr size_t kAnswerBytesMax = size_t{64} << 20;

// {"series":[{"name":"cpu","kind":"gauge","last_s":1700000000}],"truncated":false}
std::string series_list_json(const SeriesPage& list);

// {"prefix":"a.","series":3,"names":7,"children":[{"part":"cpu","series":3,"branch":true}],"next":null};
// API.md has all fields of a child.
std::string tree_json(std::string_view prefix, const TreePage& page);

// {"from":0,"until":20,"step":10,"tier":10,"series":[{"name":"cpu","kind":"gauge","avg":[1.5,null]}]}, and
// "warnings" if stored frames were damaged; with kLabels "labels":{"__name__":"cpu"} instead of the name.
// Errors: kLimit if the text would exceed `bytes_max`.
Result<std::string> query_answer_json(const QueryAnswer& answer, std::span<const Stat> stats,
                                      std::span<const Percentile> percentiles = {},
                                      SeriesForm form = SeriesForm::kName,
                                      size_t bytes_max = kAnswerBytesMax);

// Appends {"__name__":"cpu","host":"a"}.
void append_labels_json(std::string& out, const SeriesLabels& labels);

// {"from":0,"until":20,"step":10,"tier":10,"series":["a","b"],"count":[3,null],"buckets":[[1,1.03125]],
// "counts":[[3,0]]}: one row of counts per bucket. Stats and percentiles, like "count" here, cover
// all series together. Errors: as above.
Result<std::string> heatmap_json(const QueryAnswer& merged, std::span<const HeatmapRow> rows,
                                 std::span<const Stat> stats, std::span<const Percentile> percentiles,
                                 size_t bytes_max = kAnswerBytesMax);

// {"received":2,"accepted":1,"refused":{"bad_value":1},"error":"1 of 2 samples refused","status":400}. The
// last two are present only if samples were refused.
std::string lines_account_json(const LinesAccount& account);

// {"ready":true} or {"ready":false,"problems":{"store":"disk full"}}, and "warnings" if there are any.
std::string readiness_json(const Health& health);

}  // namespace statmill
