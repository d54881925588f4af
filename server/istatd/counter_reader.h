// CounterReader: the rows of a counter: a query of its series, by istatd's rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/istatd/counter_range.h"
#include "server/istatd/counter_row.h"
#include "server/query/queries.h"
#include "server/query/query_control.h"
#include "server/query/series_catalog.h"
#include "storage/live_retention.h"

namespace statmill::istatd {

// All must outlive what uses them.
struct CounterSources {
  const Queries& queries;
  const SeriesCatalog& catalog;
  const LiveRetention& retention;
  const Clock& clock;
};

struct CounterAnswer {
  CounterRange range;
  std::vector<CounterRow> rows;  // ascending; gauges have none where there is no sample
};

// Returns the name of the series that a client means: what it writes, or that as istatd's listener folds it;
// a star in front says that it is a counter. nullopt: there is none.
std::optional<std::string> counter_name(const SeriesCatalog& catalog, std::string_view text);

// Reads the finest tier that has the beginning of the range. Rows of events have a count of one for each
// slot, and a row for each interval that is kept, up to now. `name`: of a series. Errors: those of
// Queries::run().
Result<CounterAnswer> read_counter(const CounterSources& sources, const std::string& name, AskedRange asked,
                                   QueryControl& control);
// The same of the trailing means over the weeks that are kept, of which those that count less than 1 % are
// left out. Cost: that of up to 44 queries of 5 min slots.
Result<CounterAnswer> read_trailing(const CounterSources& sources, const std::string& name, AskedRange asked,
                                    QueryControl& control);

}  // namespace statmill::istatd
