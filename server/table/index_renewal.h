// IndexRenewal: fills a second index with the names of all series, to replace the first, whose removed names
// keep their memory. It goes through the arena in slices. Names that are added or removed meanwhile are added
// to, or removed from, both.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string_view>

#include "server/names/name_index.h"
#include "server/table/series_arena.h"

namespace statmill {

// Guarded by the lock of the table's index.
class IndexRenewal {
 public:
  using Number = SeriesArena::Number;

  IndexRenewal(const KeyedHash& hash, Number first) : next_(first) { index_->set_hash(hash); }

  bool has(Number number) const { return rows_.size() > number / 2 && rows_[number / 2].is_indexed(); }
  // The row of a name in the second index. Requires: has().
  NameRow row(Number number) const { return rows_[number / 2]; }
  // Requires: !has().
  void add(Number number, std::string_view name) {
    if (rows_.size() <= number / 2) rows_.resize(number / 2 + 1);
    rows_[number / 2] = index_->add(name);
  }
  void remove(Number number) {
    if (!has(number)) return;
    index_->remove(rows_[number / 2]);
    rows_[number / 2] = {};
  }

  // The series to be looked at next; 0 after the last one.
  Number next() const { return next_; }
  void continue_at(Number next) { next_ = next; }
  const std::shared_ptr<NameIndex>& index() const { return index_; }

 private:
  const std::shared_ptr<NameIndex> index_ = std::make_shared<NameIndex>();
  std::deque<NameRow> rows_;  // by half of the series' number: a series has two lines at least
  Number next_;
};

}  // namespace statmill
