// Answers of Prometheus' HTTP API: the envelope, errors, and series as JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/http/http_message.h"
#include "server/http/router.h"
#include "server/query/series_source.h"

namespace statmill {

// The words of the field `errorType`.
enum class PrometheusError : uint8_t { kBadData, kExecution, kTimeout, kCanceled, kUnavailable, kInternal };

// {"status":"error","errorType":"bad_data","error":"..."} with the status that goes with the type.
HttpResponse prometheus_error(PrometheusError type, std::string_view message);
// The error of a request that the server refuses with this status before a handler sees it.
HttpResponse prometheus_refusal(unsigned status, std::string_view message);
// The error of a query that was being computed: kInvalid and kLimit are errors of execution. kBusy and
// kUnavailable are a timeout, a cancellation, or a server that cannot answer at present.
HttpResponse evaluation_error(const Error& error);
// {"status":"success","data":DATA}, with the notes that there are. `data` is JSON.
HttpResponse prometheus_answer(std::string_view data, const QueryNotes& notes = {});

// Appends ,"warnings":["..."],"infos":["..."], each if there are any.
void append_notes(std::string& out, const QueryNotes& notes);
// A route for queries that refuses requests as Prometheus does, and ignores parameters that it does not know.
// The arguments are as in Route.
Route prometheus_route(std::string_view path, std::span<const ParameterRule> parameters, QueryHandler handle,
                       std::string_view description);

// 1700000000 or 1700000000.125.
void append_seconds(std::string& out, int64_t time_ms);
// 1.05, NaN, +Inf.
void append_number_text(std::string& out, double value);
// "1.05", "NaN", "+Inf", in quotes.
void append_value(std::string& out, const Numbers& numbers, size_t point);

// {"metric":{...},"values":[[TIME,"VALUE"],...]}, or "histograms", or both. Requires: `series` has one
// element or two of equal labels, numbers and histograms.
void append_series(std::string& out, std::span<const SeriesValues> series, const Grid& grid);
// {"metric":{...},"value":[TIME,"VALUE"]}, or "histogram". Requires: the first point is present.
void append_instant(std::string& out, const SeriesValues& series, int64_t time_ms);

}  // namespace statmill
