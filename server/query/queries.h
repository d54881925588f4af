// Queries: the interface for reading series, which QueryEngine implements. The HTTP handlers use it, so that
// their tests need no table and no store.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/glob.h"
#include "base/result.h"
#include "server/names/search_words.h"
#include "server/query/changes.h"
#include "server/query/query.h"
#include "server/query/query_control.h"
#include "server/query/stat_table.h"

namespace statmill {

// CPU time that a search for names may take.
inline constexpr Duration kSearchTime = std::chrono::milliseconds(100);

// Thread-safe.
class Queries {
 public:
  virtual ~Queries() = default;
  // Ends with the error of `control` as soon as that stops the query or refuses what it needs.
  virtual Result<QueryAnswer> run(const QueryRequest& request, Timestamp now,
                                  QueryControl& control) const = 0;
  // Runs the query without a way to stop it, with the default limits.
  Result<QueryAnswer> run(const QueryRequest& request, Timestamp now) const {
    QueryControl control;
    return run(request, now, control);
  }
  struct TreeRequest {
    // Empty, or parts of paths with a dot after each: the children are parts. Or a path with a `;` after it:
    // the children are the tags of its series, each as one text.
    std::string prefix;
    std::optional<std::string> after;  // only children after this part
    size_t limit = 0;
  };
  // Errors: those of the control.
  virtual Result<TreePage> tree(const TreeRequest& request, QueryControl& control) const = 0;
  struct SearchRequest {
    SearchWords words;
    std::string under;              // only names that begin with it
    std::optional<Kind> kind = {};  // only series of this kind
    size_t limit = 0;
  };
  // Ends after kSearchTime with what it has found. Errors: those of the control.
  virtual Result<SearchPage> search(const SearchRequest& request, QueryControl& control) const = 0;
  // Errors: as read_stat_table(), without kBusy while names change only now and then.
  virtual Result<StatTable> table(const StatTableRequest& request, Timestamp now,
                                  QueryControl& control) const = 0;
  // Errors: as read_changes(), without kBusy while names change only now and then.
  virtual Result<ChangesAnswer> changes(const ChangesRequest& request, Timestamp now,
                                        QueryControl& control) const = 0;
  // Returns the matching series, by name, at most `limit`. Errors: those of the control.
  virtual Result<SeriesPage> list(const Glob& glob, size_t limit, QueryControl& control) const = 0;
  // The same for the series that satisfy all matchers. Errors: also kInvalid (a regular expression), kLimit.
  virtual Result<SeriesPage> list(std::span<const LabelMatcher> matchers, size_t limit,
                                  QueryControl& control) const = 0;
  SeriesPage list(const Glob& glob, size_t limit) const {
    QueryControl control;
    return *list(glob, limit, control);
  }
};

}  // namespace statmill
