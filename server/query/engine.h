// QueryEngine: answers a query by names: finds the series, plans the bins and tiers, reads columns from RAM
// and from the store, and merges them to one bucket per point.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/glob.h"
#include "base/result.h"
#include "server/query/queries.h"
#include "server/query/query.h"
#include "server/query/read/table_pieces.h"
#include "storage/tiers.h"

namespace statmill {

// Thread-safe; holds no lock during I/O.
class QueryEngine final : public Queries {
 public:
  // All must outlive the engine. `cache`: of the chunks of this store, or nullptr.
  QueryEngine(const Table& table, Store& store, QueryLimits limits, ColumnCache* cache = nullptr)
      : table_(table), store_(store), cache_(cache), pieces_(table, store, cache), limits_(limits) {}

  // Errors: kInvalid (range or step), kNotFound (a plain name that does not exist, though a glob may match
  // nothing; or a merge without a distribution), kLimit (too many series, points or bytes of histograms),
  // kBusy (series were deleted, renamed or flushed again and again during the query), kIo and kCorrupt (from
  // the store), and those of `control`.
  Result<QueryAnswer> run(const QueryRequest& request, Timestamp now, QueryControl& control) const override;
  using Queries::run;

  Result<TreePage> tree(const TreeRequest& request, QueryControl& control) const override;
  Result<SearchPage> search(const SearchRequest& request, QueryControl& control) const override;
  Result<StatTable> table(const StatTableRequest& request, Timestamp now,
                          QueryControl& control) const override;
  Result<ChangesAnswer> changes(const ChangesRequest& request, Timestamp now,
                                QueryControl& control) const override;
  Result<SeriesPage> list(const Glob& glob, size_t limit, QueryControl& control) const override;
  Result<SeriesPage> list(std::span<const LabelMatcher> matchers, size_t limit,
                          QueryControl& control) const override;
  using Queries::list;

 private:
  SeriesPage page_of(std::span<const std::string> names, bool has_more) const;
  Result<TreePage> tags(const TreeRequest& request, QueryControl& control) const;
  uint64_t names_number() const;
  Result<QueryAnswer> attempt(const QueryRequest& request, Timestamp now, QueryControl& control) const;
  struct Resolved;  // the series of a request
  Result<Resolved> resolve(const QueryRequest& request, QueryControl& control) const;
  Result<std::optional<QueryAnswer>> read(const QueryRequest& request, const Resolved& resolved,
                                          const Tiers& kept, Timestamp now, QueryControl& control) const;

  const Table& table_;
  Store& store_;
  ColumnCache* const cache_;
  mutable TablePieces pieces_;
  const QueryLimits limits_;
};

}  // namespace statmill
