// TableSeries: finds series in this process's own table, by its index of names.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/query/series_catalog.h"
#include "server/query/series_selector.h"

namespace statmill {

class Table;

// Thread-safe.
class TableSeries final : public SeriesSelector, public SeriesCatalog {
 public:
  // `table` must outlive it.
  explicit TableSeries(const Table& table) : table_(table) {}

  Result<std::vector<SeriesRef>> select(std::span<const LabelMatcher> matchers,
                                        QueryControl& control) const override;
  uint64_t names_version() const override;

  // Leaves out series whose first sample is after the range, and those whose last one is before it.
  Result<std::vector<SeriesLabels>> series(const CatalogRequest& request,
                                           QueryControl& control) const override;
  // These two do not look at the range: the index of names does not know when series had samples.
  Result<std::vector<std::string>> label_names(const CatalogRequest& request,
                                               QueryControl& control) const override;
  Result<std::vector<std::string>> label_values(std::string_view label, const CatalogRequest& request,
                                                QueryControl& control) const override;
  Result<std::map<std::string, uint64_t>> series_by_value(std::string_view label,
                                                          QueryControl& control) const override;
  Result<std::vector<TreeNode>> nodes(std::string_view pattern, QueryControl& control) const override;
  Status each_name(const std::function<bool(std::string_view name)>& visit,
                   QueryControl& control) const override;
  std::optional<Kind> kind(std::string_view name) const override;
  std::vector<FamilyRow> families(const FamilyKey& after, size_t limit) const override;
  std::vector<FamilyRow> families_of(std::string_view path) const override;
  Result<CatalogStats> stats(size_t limit, QueryControl& control) const override;

 private:
  const Table& table_;
};

}  // namespace statmill
