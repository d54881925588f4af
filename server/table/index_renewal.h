// IndexRenewal: copies the names of an index to a second one in slices, to replace the first, whose removed
// names keep their memory. Names that are added meanwhile are copied, too; those that are removed are removed
// from both.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "server/names/name_index.h"
#include "server/names/name_walk.h"

namespace statmill {

// Guarded by the lock of the table's index. RAM: 8 bytes for each name, and the second index.
class IndexRenewal {
 public:
  // `old` must outlive it.
  IndexRenewal(const NameIndex& old, const KeyedHash& hash) : old_(old), walk_(old) {
    index_->set_hash(hash);
  }

  // Copies at most so many names. Returns true if the second index has all names.
  bool copy(size_t most) {
    for (size_t i = 0; i < most; ++i) {
      const auto row = walk_.next();
      if (!row) return true;
      std::vector<NameRow>& page = pages_[page_of(*row)];
      page.resize(row->row % kPageRows + 1);
      page.back() = index_->add(old_.name(*row));
    }
    return false;
  }
  // Requires: the row was removed from the old index.
  void remove(NameRow old) {
    const auto page = pages_.find(page_of(old));
    if (page != pages_.end() && page->second.size() > old.row % kPageRows)
      index_->remove(page->second[old.row % kPageRows]);
  }
  // The row of a name in the second index. Requires: copy() has returned true, and no name was added since.
  NameRow row(NameRow old) const { return pages_.at(page_of(old))[old.row % kPageRows]; }
  const std::shared_ptr<NameIndex>& index() const { return index_; }

 private:
  static constexpr uint32_t kPageRows = 8192;
  static uint64_t page_of(NameRow row) { return uint64_t{row.table} << 32 | row.row / kPageRows; }

  const NameIndex& old_;
  NameIndex::Walk walk_;
  const std::shared_ptr<NameIndex> index_ = std::make_shared<NameIndex>();
  std::unordered_map<uint64_t, std::vector<NameRow>> pages_;  // rows of the second index by rows of the first
};

}  // namespace statmill
