// NameIndex::Scan: one pass over the rows of an index that satisfy matchers.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "server/names/name_block.h"
#include "server/names/name_index.h"
#include "server/names/row_filter.h"

namespace statmill {

class NameIndex::Scan {
 public:
  // Both must outlive the scan.
  Scan(const NameIndex& index, const IsCancelled& is_cancelled)
      : pin_(index.retired_), tables_(index.tables()), is_cancelled_(is_cancelled) {}

  std::span<const TableRows> tables() const { return tables_; }

  // Calls `take(block, bits)` with the rows of a table that are not removed, until it returns false. Returns
  // false then, and when the scan is cancelled. Requires: a table of tables().
  template <class Take>
  bool for_each_block(const TableRows& table, Take take) {
    for (uint32_t row = 0; row < table.rows;) {
      if (row % kRowsPerCancel == 0 && is_cancelled_ && is_cancelled_()) {
        is_ended_ = true;
        return false;
      }
      const uint32_t begin = row % NameSegment::kRowsMax;
      const uint32_t count = std::min(NameBlock::kRowsMax, table.rows - row);
      const NameBlock block{*table.table, table.table->segment_of(row), row, begin, count};
      RowBits bits{};
      for (uint32_t w = 0; w < block.words(); ++w) {
        const uint32_t left = count - 64 * w;
        const uint64_t all = left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
        bits[w] = all & ~block.segment.removed(begin / 64 + w);
      }
      if (!take(block, bits)) return false;
      row += count;
    }
    return true;
  }

  // The same with the rows that satisfy the matchers, of blocks that have any.
  template <class Take>
  bool for_each_match(const TableRows& table, RowFilter& filter, Take take) {
    if (!filter.begin_table(*table.table)) return true;
    return for_each_block(table, [&](const NameBlock& block, RowBits& bits) {
      filter.keep(block, bits);
      return !has_rows(bits) || take(block, bits);
    });
  }

  bool is_cancelled() const { return is_ended_; }
  Status status() const { return is_ended_ ? Status(Error{ErrorCode::kBusy, "cancelled"}) : Status::ok(); }

 private:
  const RetiredMemory::Pin pin_;
  const std::vector<TableRows> tables_;
  const IsCancelled& is_cancelled_;
  bool is_ended_ = false;
};

}  // namespace statmill
