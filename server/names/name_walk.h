// NameIndex::Walk: goes through all names of an index in slices, while names are added and removed.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "server/names/name_index.h"

namespace statmill {

// Used by the writer of the index only, which must outlive the walk.
class NameIndex::Walk {
 public:
  explicit Walk(const NameIndex& index) : index_(index) {}

  // Returns the next name; nullopt if none is left, until one is added. Cost: 20 ns, and 3 ns for each
  // removed name in between.
  std::optional<NameRow> next() {
    const size_t tables = index_.own_tables_.size();
    next_.resize(tables);
    for (size_t left = tables + kArenas; left > 0; --left, at_ = (at_ + 1) % (tables + kArenas)) {
      if (at_ < kArenas) {
        const uint32_t table = at_ == 0 ? kFlatNames : kOtherNames;
        if (index_.arena_of({table, 0}).skip_removed(next_text_[at_]))
          return NameRow{table, next_text_[at_]++};
      } else if (index_.own_tables_[at_ - kArenas]->skip_removed(next_[at_ - kArenas])) {
        return NameRow{static_cast<uint32_t>(at_ - kArenas), next_[at_ - kArenas]++};
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kArenas = 2;

  const NameIndex& index_;
  size_t at_ = 0;               // an arena or kArenas + a table
  std::vector<uint32_t> next_;  // row, by table
  std::array<NameArena::Number, kArenas> next_text_{};
};

}  // namespace statmill
