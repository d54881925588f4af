// StatTable: statistics of many series as a table: a row for each value of a tag, or of a part of the paths,
// and a column for each statistic. All cells are over one range of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/names/label_matcher.h"
#include "server/query/query.h"
#include "server/query/query_control.h"
#include "server/query/read/column_cache.h"
#include "server/query/row_key.h"

namespace statmill {

class Store;
class Table;

// What one cell has of the series of its row.
struct StatColumn {
  enum class Value : uint8_t {
    kStat,
    kPercentile,  // of distributions
    kLast,        // of the newest slot with samples: its mean; of events and counters its rate
  };
  // How several series make one cell.
  enum class Merge : uint8_t {
    kMerge,  // as if all samples were of one series; rates add up
    // Of the values that each series has:
    kMax,
    kSum,
    kAvg,
  };
  std::vector<LabelMatcher> matchers;  // of its series; not empty
  Value value = Value::kStat;
  Stat stat = Stat::kAvg;
  double quantile = 0;  // 0 to 1, for kPercentile
  Merge merge = Merge::kMerge;
};

struct StatTableRequest {
  static constexpr size_t kColumnsMax = 16;
  static constexpr size_t kRowsMax = 10'000;
  static constexpr int64_t kSparkPointsMax = 300;

  RowKey row;
  std::vector<StatColumn> columns;  // 1 to kColumnsMax
  int64_t from_s = 0;
  int64_t until_s = 0;
  std::optional<size_t> sort_column = {};  // nullopt: by row
  bool is_descending = false;
  size_t limit = kRowsMax;  // rows of the answer
  // The values of one column over the range, for the rows of the answer.
  struct Spark {
    size_t column = 0;
    int64_t points = 0;  // at most; 1 to kSparkPointsMax
  };
  std::optional<Spark> spark = {};
};

struct StatTable {
  using Cell = std::optional<AnswerNumber>;  // nullopt: no samples, or series of several kinds to merge
  struct Row {
    std::string row;
    std::vector<Cell> values;  // one per column
    std::vector<Cell> spark;   // one per point
  };
  // The range, widened to the slots that were read.
  int64_t from_s = 0;
  int64_t until_s = 0;
  int64_t tier_s = 0;           // the coarsest tier that was read
  size_t total = 0;             // rows, also those above the limit
  std::vector<Row> rows;        // rows without a value in the sort column are last
  uint64_t damaged_frames = 0;  // stored frames that failed their check and are missing
};

struct StatTableSources {  // all must outlive the call
  const Table& table;
  Store& store;
  ColumnCache* cache;  // or nullptr
};

// Errors: kInvalid (a matcher, an empty range), kLimit (rows, series, slots or memory), kBusy (names changed:
// run it again), kIo and kCorrupt from the store, and those of the control. Cost: a search for each different
// selector of the columns, and its series are read once: 2 us each while the range is in RAM.
Result<StatTable> read_stat_table(const StatTableSources& sources, const StatTableRequest& request,
                                  Timestamp now, QueryControl& control);

}  // namespace statmill
