// Series in memory, and targets that are computed over them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/graphite/evaluation.h"
#include "server/graphite/target_source.h"

namespace statmill::graphite {

// Finds paths by their parts, and tags by `=` and `!=`; reads values of the finest step only. Its buckets
// have no histograms.
class MemorySource final : public TargetSource {
 public:
  struct Stored {
    int64_t step_s = 10;
    std::vector<double> values;  // from the time 0 on
  };
  // Some series of few values, of the times 0 to 2000.
  static MemorySource with_series();

  Result<SeriesList> fetch(const FetchRequest& request) override;
  std::vector<int64_t> event_times(const EventRequest& request) override;

  std::map<std::string, Stored> stored;
  std::vector<FetchRequest> requests;  // all there were
};

// The events of all sources.
struct FixtureEvent {
  int64_t time_s = 0;
  std::vector<std::string> tags;
};
const std::vector<FixtureEvent>& fixture_events();

inline constexpr int64_t kFrom_s = 1000;
inline constexpr int64_t kUntil_s = 1060;
inline constexpr int64_t kNow_s = 2000;

EvaluationOptions fixture_options();

// Returns a line for each series, "NAME START STEP: VALUE -", or "error: MESSAGE".
std::string computed(std::string_view target, const EvaluationOptions& options = fixture_options());
std::string text_of(const SeriesList& list);

// The targets of tests/server/graphite/targets/GROUP.txt, with the results that are expected.
struct ExpectedTarget {
  std::string target;
  std::string result;   // as computed() returns it
  std::string differs;  // why graphite-web answers otherwise; empty: it does not
  size_t line = 0;
};
std::vector<ExpectedTarget> expected_targets(const std::string& group);

}  // namespace statmill::graphite
