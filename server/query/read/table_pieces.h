// TablePieces: the PieceSource of this process's own table and store.
#pragma once

#include <memory>

#include "server/query/read/piece_source.h"

namespace statmill {

class Store;
class Table;

// Thread-safe.
class TablePieces final : public PieceSource {
 public:
  // Both must outlive the views.
  TablePieces(const Table& table, Store& store) : table_(table), store_(store) {}

  Result<std::unique_ptr<SeriesView>> view(std::span<const SeriesRef> series, bool histograms) override;

 private:
  const Table& table_;
  Store& store_;
};

}  // namespace statmill
