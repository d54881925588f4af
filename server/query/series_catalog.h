// SeriesCatalog: which series, labels and values of labels exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "proto/sample.h"
#include "server/names/label_matcher.h"
#include "server/names/tree_node.h"
#include "server/query/labels.h"
#include "server/query/query_control.h"
#include "storage/family_row.h"

namespace statmill {

// What a search of the catalog covers.
struct CatalogRequest {
  // Alternatives: a series matches if it matches all conditions of one of them. None: all series.
  std::vector<std::vector<LabelMatcher>> selectors;
  // Series without a sample in [start_ms, end_ms] may be left out.
  int64_t start_ms = INT64_MIN;
  int64_t end_ms = INT64_MAX;
  size_t limit = SIZE_MAX;  // of results; there may be more
};

// How many series and values there are.
struct CatalogStats {
  using Counts = std::vector<std::pair<std::string, uint64_t>>;  // descending

  size_t series = 0;
  Counts series_by_metric;  // by `__name__`
  Counts series_by_pair;    // by "host=a"
  Counts values_by_label;   // since the start, without `__name__`
  uint64_t missed = 0;      // counts of series may be too low by this; those that are lower are left out
};

// Thread-safe.
class SeriesCatalog {
 public:
  virtual ~SeriesCatalog() = default;

  // Each result once, ascending. Errors: kInvalid (a regular expression or glob), kLimit, and those of the
  // control.
  virtual Result<std::vector<SeriesLabels>> series(const CatalogRequest& request,
                                                   QueryControl& control) const = 0;
  virtual Result<std::vector<std::string>> label_names(const CatalogRequest& request,
                                                       QueryControl& control) const = 0;
  virtual Result<std::vector<std::string>> label_values(std::string_view label, const CatalogRequest& request,
                                                        QueryControl& control) const = 0;
  // How many series have each value of a label, without those that lack it. Errors: as above.
  virtual Result<std::map<std::string, uint64_t>> series_by_value(std::string_view label,
                                                                  QueryControl& control) const = 0;
  // The nodes of the tree of paths whose parts match the globs between the dots of the pattern, ascending by
  // path. Errors: as above.
  virtual Result<std::vector<TreeNode>> nodes(std::string_view pattern, QueryControl& control) const = 0;
  // Calls `visit` with the name of each series, in no order, until it returns false. Errors: those of the
  // control.
  virtual Status each_name(const std::function<bool(std::string_view name)>& visit,
                           QueryControl& control) const = 0;
  // Returns nullopt if there is no such series.
  virtual std::optional<Kind> kind(std::string_view name) const = 0;
  // Returns up to `limit` families of which anything is known after `after`, by path and kind; and those of
  // one path. A unit that nobody has given is that of the name.
  virtual std::vector<FamilyRow> families(const FamilyKey& after, size_t limit) const = 0;
  virtual std::vector<FamilyRow> families_of(std::string_view path) const = 0;
  // Returns at most `limit` of each. Errors: those of the control. Cost: one pass over all names, about 1 us
  // each.
  virtual Result<CatalogStats> stats(size_t limit, QueryControl& control) const = 0;
};

}  // namespace statmill
