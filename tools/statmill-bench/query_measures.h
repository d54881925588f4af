// The measures of the suite `query`. Each stores its samples in a server of its own.
#pragma once

#include "tools/statmill-bench/query_figures.h"

namespace statmill {

// query_ranges.cc: ranges of time that end now. The newest 20 min to 7 h are not rolled up yet, so queries at
// 300 s read slots of 10 s there; how many depends on the time of day.
//   one24h: 24 h of one series at 10 s, as JSON of statmill's API (json) and of Prometheus' (promql)
//   avg100: the average over 100 series, 24 h, at 10 s and at 300 s
//   sumrate10k: sum by (host) (rate(x[5m])) of 10,000 series, 1 h at 60 s
//   p99_100dist: the 99th percentile over 100 distributions, 24 h at 300 s
//   last1000: the last value of 1000 series
//   small: 1 h of one series at 60 s, by Prometheus' API
//   year5m: averages of one series, 1 year at 5 min, each of 30 samples
//   pending24h: 24 h of one series while all of it waits in RAM, as one24h.json
Measured measure_one24h(const QueryContext& context);
Measured measure_avg100(const QueryContext& context);
Measured measure_sumrate10k(const QueryContext& context);
Measured measure_p99_100dist(const QueryContext& context);
Measured measure_last1000(const QueryContext& context);
Measured measure_small(const QueryContext& context);
Measured measure_year5m(const QueryContext& context);
Measured measure_pending24h(const QueryContext& context);

// query_names.cc: lists of names.
//   find1m: of 1,000,000 names with dots those with a literal in their middle, of one prefix, with two words
//   select1m: the 20 of 1,000,000 series of 9 labels that two matchers select, and the first 1000 of all
Measured measure_find1m(const QueryContext& context);
Measured measure_select1m(const QueryContext& context);

// query_busy.cc: with a day of 100 series, over which heavy queries compute an average at 10 s, four at once,
// each again and again; and with lines of 100,000 series that come by TCP as fast as the server reads them.
//   small_busy: small queries at a fixed rate on the idle server, and during heavy queries, ingest and
//     compactions
//   ingest_busy: samples per second alone, and during heavy queries
Measured measure_small_busy(const QueryContext& context);
Measured measure_ingest_busy(const QueryContext& context);

}  // namespace statmill
