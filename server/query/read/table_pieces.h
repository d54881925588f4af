// TablePieces: the PieceSource of this process's own table and store.
#pragma once

#include <memory>

#include "server/query/read/piece_source.h"

namespace statmill {

class ColumnCache;
class Store;
class Table;

// Thread-safe.
class TablePieces final : public PieceSource {
 public:
  // All must outlive the views. `cache`: of the chunks of this store, or nullptr.
  TablePieces(const Table& table, Store& store, ColumnCache* cache = nullptr)
      : table_(table), store_(store), cache_(cache) {}

  Result<std::unique_ptr<SeriesView>> view(std::span<const SeriesRef> series, bool histograms) override;
  std::optional<int64_t> end_ms(std::string_view name) const override;

 private:
  const Table& table_;
  Store& store_;
  ColumnCache* const cache_;
};

}  // namespace statmill
