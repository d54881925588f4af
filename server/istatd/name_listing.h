// The list of names that istatd's page loads: GET /?q=GLOB.
#pragma once

#include <string_view>

#include "base/result.h"
#include "server/query/body_sink.h"
#include "server/query/query_control.h"
#include "server/query/series_catalog.h"

namespace statmill::istatd {

inline constexpr size_t kListPatternBytesMax = 1024;

// Writes {"type_mapping":{...},"pattern":P,"matching_names":[{"is_leaf":true,"type":0,"name":"a.b"},...]}:
// series, and what paths begin with, as aggregates; ascending. A name that is both is an aggregate. In a
// pattern
// `*` matches any bytes, dots included, and `?` any but dots, also none. Errors: kInvalid (a longer pattern),
// those of the sink and of the control, which refuses more than QueryLimits::selected_max names. Cost: one
// pass over all names, about 1 us each.
Status list_names(const SeriesCatalog& catalog, std::string_view pattern, QueryControl& control,
                  BodySink& sink);

}  // namespace statmill::istatd
