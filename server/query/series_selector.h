// SeriesSelector: from matchers to series.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "server/names/label_matcher.h"
#include "server/query/query_control.h"
#include "server/query/read/piece_source.h"

namespace statmill {

// Thread-safe.
class SeriesSelector {
 public:
  virtual ~SeriesSelector() = default;
  // Returns the series that match all of them, ascending by id, as the store has them. Errors: kInvalid (a
  // regular expression or a glob), and those of the control, which refuses more than
  // QueryLimits::selected_max.
  virtual Result<std::vector<SeriesRef>> select(std::span<const LabelMatcher> matchers,
                                                QueryControl& control) const = 0;
  // Returns a number that changes when series are deleted or renamed.
  virtual uint64_t names_version() const = 0;
};

}  // namespace statmill
