// Exemplars of series: those that the store has, for PromQL's query_exemplars.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "server/names/label_matcher.h"
#include "server/query/labels.h"
#include "server/query/query_control.h"
#include "server/query/series_catalog.h"
#include "server/query/series_selector.h"
#include "server/query/series_source.h"
#include "storage/store.h"

namespace statmill {

struct StoredExemplar {
  double value = 0;
  int64_t time_ms = 0;
  std::vector<std::pair<std::string, std::string>> labels;  // ascending by name
};

struct SeriesExemplars {
  SeriesLabels labels;
  std::vector<StoredExemplar> exemplars;  // by time; not empty
};

struct ExemplarsRequest {
  // Alternatives, as in CatalogRequest. If no series has the name `x_bucket` of a matcher, the distribution
  // `x` is meant, and `le` is not looked at.
  std::vector<std::vector<LabelMatcher>> selectors;
  int64_t start_ms = INT64_MIN;
  int64_t end_ms = INT64_MAX;  // included
  size_t limit = SIZE_MAX;     // of exemplars; the answer warns if there are more
};

struct ExemplarsSources {
  const SeriesSelector& selector;
  const SeriesCatalog& catalog;
  Store& store;
};

// Returns the series that have exemplars, ascending by labels. The control counts the memory until it ends.
// Errors: kInvalid (a regular expression), kLimit, kIo, kCorrupt, kUnavailable, and those of the control.
// Cost: 5 us for each series that is selected, or a read from the disk.
Result<std::vector<SeriesExemplars>> read_exemplars(const ExemplarsSources& sources,
                                                    const ExemplarsRequest& request, QueryControl& control,
                                                    QueryNotes& notes);

}  // namespace statmill
