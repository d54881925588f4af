#include "storage/journal/journal_draft.h"

#include <limits>
#include <utility>

#include "base/burst.h"
#include "base/check.h"
#include "base/radix_sort.h"

namespace statmill {

void JournalDraft::end_piece(SeriesId id, uint32_t entries) {
  SM_CHECK(pieces_.size() < std::numeric_limits<uint32_t>::max());
  keys_.push_back({id, static_cast<uint32_t>(pieces_.size())});
  pieces_.push_back({std::exchange(end_, bytes_.size()), entries});
}

JournalPiece JournalDraft::piece(const Key& key) const {
  const Piece& piece = pieces_[key.piece];
  const uint64_t end = key.piece + 1 < pieces_.size() ? pieces_[key.piece + 1].begin : end_;
  return {key.id, piece.entries, std::string_view(bytes_.data() + piece.begin, end - piece.begin)};
}

std::string JournalDraft::build_row(const RowPlace& place) {
  radix_sort(keys_, sort_space_, [](const Key& key) { return key.id; });
  std::string row = std::move(spare_row_);
  row.reserve(bytes_.size() + bytes_.size() / 8);
  encode_journal_row(
      place, keys_.size(), [this](size_t i) { return piece(keys_[i]); }, row);
  clear_burst(keys_);
  clear_burst(sort_space_);
  clear_burst(pieces_);
  clear_burst(bytes_);
  end_ = 0;
  return row;
}

void JournalDraft::recycle(std::string row) {
  clear_burst(row);
  spare_row_ = std::move(row);
}

}  // namespace statmill
