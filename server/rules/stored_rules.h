// StoredRules: the rules' source and sink in a server: the engine of its queries, and its table.
#pragma once

#include <atomic>

#include "ingest/intake.h"
#include "server/http/query_service.h"
#include "server/query/stored_series.h"
#include "server/rules/rule_source.h"
#include "server/table/series_ends.h"

namespace statmill::rules {

// Confined to one thread, but for stop().
class StoredRules final : public RuleSource, public RuleSink {
 public:
  struct Services {  // all must outlive it
    StoredSeries::Sources series;
    QueryService& queries;  // whose limits and memory count
    Intake& intake;
    SeriesEnds& ends;
    const Clock& clock;
  };
  // Samples are counted for the listener "rules".
  explicit StoredRules(const Services& services);

  Result<std::vector<RuleSample>> evaluate(const promql::SyntaxTree& tree, std::string_view text,
                                           Timestamp at, Duration timeout) override;
  void stop() override;
  Status record(std::span<const RecordedSample> samples, Timestamp at) override;
  void end(std::span<const std::string> names, Timestamp at) override;

 private:
  const Services services_;
  const ListenerAccount account_;
  Batch batch_;
  std::atomic<bool> is_stopped_{false};  // written by stop(), read by evaluate() after its query is listed
};

}  // namespace statmill::rules
