// TargetSource: where targets get their series. The one that reads what is stored is StoredTargets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/graphite/series.h"

namespace statmill::graphite {

// Without `points`, series have the finest step that gives fewer values than this.
inline constexpr size_t kFinePoints = 20'000;

// Which events are counted: those with all tags that begin in [from_s, until_s). No tags: all of them.
struct EventRequest {
  std::vector<std::string> tags = {};
  int64_t from_s = 0;
  int64_t until_s = 0;
};

struct FetchRequest {
  std::string path;  // a path with globs; empty: by tags
  std::vector<std::string> tag_expressions = {};
  std::string text = {};  // as the target has it: Series::path
  int64_t from_s = 0;     // values of times in (from_s, until_s]
  int64_t until_s = 0;
  size_t points = 0;           // values per series at most; 0: kFinePoints
  Summary read = {};           // what the values are of the buckets
  bool keeps_buckets = false;  // Series::buckets, with what `read` needs of them
  // Unless it is empty, those of a group's series with the same bands are merged: one of them has all, the
  // others have Series::is_merged. So what is in memory grows with the groups, not with the series.
  GroupOf group_of = {};
};

// Used by one thread at a time.
class TargetSource {
 public:
  virtual ~TargetSource() = default;
  // Returns the series by name; none if no name matches. Errors: kInvalid (a regular expression, a glob, a
  // percentile of a series without histograms), and those of a query.
  virtual Result<SeriesList> fetch(const FetchRequest& request) = 0;
  // Returns the times of events in unix seconds, ascending.
  virtual std::vector<int64_t> event_times(const EventRequest& request) = 0;
};

}  // namespace statmill::graphite
