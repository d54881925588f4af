// The parameters of GET /api/v1/table and /api/v1/changes (API.md).
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/http/url.h"
#include "server/query/changes.h"
#include "server/query/stat_table.h"

namespace statmill {

inline constexpr size_t kTableRowsDefault = 200;
inline constexpr int64_t kSparkPointsDefault = 30;

struct TableParameters {
  StatTableRequest request;
  std::vector<std::string> columns;  // as they were given
};

// Parses SELECTOR:STAT[:MERGE]. Errors: kInvalid.
Result<StatColumn> parse_stat_column(std::string_view text);

// Errors: kInvalid with the name of the missing or invalid parameter.
Result<TableParameters> parse_table_parameters(const Url& url, Timestamp now);

inline constexpr size_t kChangesDefault = 50;
inline constexpr int64_t kChangesMax = 1000;

// Errors: as above.
Result<ChangesRequest> parse_changes_parameters(const Url& url, Timestamp now);

}  // namespace statmill
