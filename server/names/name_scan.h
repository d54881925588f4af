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
      : index_(index), pin_(index.retired_), tables_(index.tables()), is_cancelled_(is_cancelled) {}

  std::span<const TableRows> tables() const { return tables_; }

  // Calls `take(name)` with each name of one part without tags that satisfies the matchers, until it returns
  // false. Returns false then, and when the scan is cancelled.
  bool for_each_flat(RowFilter& filter, const Visit& take) {
    if (!filter.begin_flat()) return true;
    const auto visit = [&](std::string_view name) { return !filter.accepts_flat(name) || take(name); };
    return index_.flat_names_.search(filter.flat_prefilter(are_canonical()), visit, stop());
  }
  // The same with the other names that are kept as text.
  bool for_each_other(const RowFilter& filter, const Visit& take) {
    const auto visit = [&](std::string_view name) { return !filter.accepts(name) || take(name); };
    return index_.other_names_.search(filter.prefilter(are_canonical()), visit, stop());
  }

  // Calls `take(block, bits)` with the rows of a table that are not removed, until it returns false. Returns
  // false then, and when the scan is cancelled. Requires: a table of tables().
  template <class Take>
  bool for_each_block(const TableRows& table, Take take) {
    for (uint32_t row = 0; row < table.rows;) {
      if (is_cancelled_ && is_cancelled_()) {
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
    const IsCancelled is_cancelled = stop();
    if (!filter.begin_table(*table.table, is_cancelled)) return !is_ended_;
    return for_each_block(table, [&](const NameBlock& block, RowBits& bits) {
      filter.keep(block, bits, is_cancelled);
      return !is_ended_ && (!has_rows(bits) || take(block, bits));
    });
  }

  bool is_cancelled() const { return is_ended_; }
  Status status() const { return is_ended_ ? Status(Error{ErrorCode::kBusy, "cancelled"}) : Status::ok(); }

 private:
  bool are_canonical() const { return index_.are_canonical_.load(std::memory_order_relaxed); }
  IsCancelled stop() {
    return [this] { return is_ended_ = is_ended_ || (is_cancelled_ && is_cancelled_()); };
  }

  const NameIndex& index_;
  const RetiredMemory::Pin pin_;
  const std::vector<TableRows> tables_;
  const IsCancelled& is_cancelled_;
  bool is_ended_ = false;
};

}  // namespace statmill
