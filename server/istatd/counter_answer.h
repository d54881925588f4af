// The answers about counters in istatd's forms, with all digits of each number.
#pragma once

#include <string>

#include "base/result.h"
#include "server/istatd/counter_reader.h"
#include "server/query/body_sink.h"

namespace statmill::istatd {

// Write the answer row by row. Errors: those of the sink.
//
// {"start":S,"end":E,"interval":I,"buckets":[{"time":T,"data":{"avg":1,"count":1,"max":1,"min":1,"sdev":0,
// "sum":1,"sumsq":1}},...]}
Status write_counter_json(const CounterAnswer& answer, BodySink& sink);
// A head, and a line for each row, with CR LF.
Status write_counter_csv(const CounterAnswer& answer, BodySink& sink);
// One counter of several, after `head`:
// {"start":S,"end":E,"interval":I,"data":[{"time":T,"count":1,...},...]}, or rows as arrays of time, count,
// min, max, sum, sumsq, avg and sdev.
Status write_one_counter(const CounterAnswer& answer, std::string head, bool is_compact, BodySink& sink);

}  // namespace statmill::istatd
