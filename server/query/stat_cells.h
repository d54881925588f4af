// StatCells: the cells of some columns of a table, which read the same series: it merges the series of each
// row, and computes the numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "server/query/query.h"
#include "server/query/query_control.h"
#include "server/query/stat_table.h"

namespace statmill {

// Confined to one thread.
class StatCells {
 public:
  // `columns` and the control must outlive it. `frame` has the bins and the clock of an answer, and no
  // series. With `takes_last`, kLast looks for the newest point; otherwise it is the mean, or rate, of each
  // point.
  StatCells(std::vector<const StatColumn*> columns, size_t rows, QueryAnswer frame, QueryControl& control,
            bool takes_last)
      : columns_(std::move(columns)),
        frame_(std::move(frame)),
        control_(control),
        takes_last_(takes_last),
        rows_(rows) {}

  // What the columns need of each bucket.
  Parts parts() const;
  const QueryAnswer& frame() const { return frame_; }

  // Adds a series with one element for each bin of the frame. Requires: row < rows. Errors: kLimit, above the
  // memory or the histograms of a query.
  Status add(size_t row, SeriesAnswer series);
  // The cell of a row without series is empty. `column` is an index of those that it was made with.
  StatTable::Cell cell(size_t row, size_t column, size_t point) const;
  // The cell of the newest point that has one.
  StatTable::Cell last_cell(size_t row, size_t column) const;

 private:
  // The values of single series, put together.
  struct Values {
    size_t count = 0;
    double sum = 0;
    StatTable::Cell greatest;
    StatTable::Cell only;  // of the first
  };
  struct Row {
    std::optional<SeriesAnswer> merged;
    bool has_several_kinds = false;
    std::vector<Values> values;  // by point, then column; empty if no column needs them
  };

  StatTable::Cell value_of(const StatColumn& column, const SeriesAnswer& series, size_t point) const;
  bool takes_values(const StatColumn& column, Kind kind) const;
  Status merge(Row& row, SeriesAnswer series);

  const std::vector<const StatColumn*> columns_;
  const QueryAnswer frame_;
  QueryControl& control_;
  const bool takes_last_;
  std::vector<Row> rows_;
  size_t histogram_bytes_ = 0;
};

}  // namespace statmill
