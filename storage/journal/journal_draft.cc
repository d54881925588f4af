#include "storage/journal/journal_draft.h"

#include <limits>
#include <utility>

#include "base/burst.h"
#include "base/check.h"
#include "base/radix_sort.h"

namespace statmill {

void JournalDraft::end_piece(SeriesId id, uint32_t entries) {
  SM_CHECK(pieces_.size() < std::numeric_limits<uint32_t>::max());
  keys_.emplace_back(id, static_cast<uint32_t>(pieces_.size()));
  pieces_.emplace_back(std::exchange(end_, bytes_.size()), entries);
}

std::string JournalDraft::build_row(const RowPlace& place) {
  constexpr size_t kAhead = 24;
  radix_sort(keys_, sort_space_, [](const Key& key) { return key.id; });
  std::string row = std::move(spare_row_);
  row.reserve(bytes_.size() + bytes_.size() / 8);
  pieces_.emplace_back(end_, 0);  // the end of the last one
  const auto piece_at = [this](size_t i) {
    if (i + kAhead < keys_.size()) __builtin_prefetch(&pieces_[keys_[i + kAhead].piece]);
    const Key& key = keys_[i];
    const Piece& piece = pieces_[key.piece];
    const uint64_t end = pieces_[key.piece + 1].begin;
    return JournalPiece{key.id, piece.entries, {bytes_.data() + piece.begin, end - piece.begin}};
  };
  encode_journal_row(place, keys_.size(), piece_at, row);
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
