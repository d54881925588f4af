// StoredTargets: the TargetSource of what is stored. It selects series, and merges their buckets to values.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "server/graphite/target_source.h"
#include "server/query/query_control.h"
#include "server/query/read/host_presence.h"

namespace statmill::graphite {

// For one query. Confined to one thread.
class StoredTargets final : public TargetSource {
 public:
  using Sources = HostPresence::Sources;
  using EventTimes = std::function<std::vector<int64_t>(const EventRequest& request)>;
  // The sources and the control must outlive it.
  StoredTargets(const Sources& sources, EventTimes events, QueryControl& control, Timestamp now)
      : sources_(sources), events_(std::move(events)), control_(control), now_(now) {}

  // A path finds series without tags, whose paths have as many parts as it has; with `;` in it, it is the
  // name of one series with tags. Series of different retention may have different steps; with `points`,
  // those whose seconds are kept may have one of seconds.
  Result<SeriesList> fetch(const FetchRequest& request) override;
  std::vector<int64_t> event_times(const EventRequest& request) override { return events_(request); }

 private:
  class ViewReader;

  const Sources sources_;
  const EventTimes events_;
  QueryControl& control_;
  const Timestamp now_;
};

// The matchers that the path of a target means. Errors: kInvalid.
Result<std::vector<LabelMatcher>> matchers_of_path(std::string_view path);

}  // namespace statmill::graphite
