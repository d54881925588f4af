#include "server/rules/stored_rules.h"

#include <algorithm>
#include <array>
#include <utility>

#include "proto/refusal_counts.h"
#include "server/promql/compile.h"
#include "server/query/plan/result.h"

namespace statmill::rules {
namespace {

constexpr size_t kPieceSamples = 2000;  // so that a long result holds up no tick

// A scalar is one sample without labels, as Prometheus has it.
Result<std::vector<RuleSample>> samples_of(const PlanResult& result) {
  std::vector<RuleSample> out;
  if (result.scalar) {
    out.push_back({{}, result.scalar->number(0)});
    return out;
  }
  for (const SeriesValues& series : result.series) {
    if (series.histograms)
      return Error{ErrorCode::kInvalid,
                   "the result has histograms, which rules cannot use: choose a number of them, such as "
                   "histogram_quantile()"};
    if (series.numbers.present[0]) out.push_back({series.labels, series.numbers.number(0)});
  }
  return out;
}

}  // namespace

StoredRules::StoredRules(const Services& services)
    : services_(services), account_(services.intake.account("rules")) {}

Result<std::vector<RuleSample>> StoredRules::evaluate(const promql::SyntaxTree& tree, std::string_view text,
                                                      Timestamp at, Duration timeout) {
  const int64_t at_ms = at.time_since_epoch().count();
  const Grid grid{.start_ms = at_ms, .end_ms = at_ms, .step_ms = 1};
  const auto plan = promql::compile(tree, {.start_ms = at_ms, .end_ms = at_ms});
  if (!plan) return plan.error();
  QueryLimits limits = services_.queries.limits();
  limits.timeout = std::min(limits.timeout, timeout);
  QueryControl control(limits, &services_.queries.memory(), &services_.clock);
  const auto id = services_.queries.board().add(std::string(text), "rules", control);
  if (is_stopped_) control.stop(QueryStop::kServer);
  control.begin();
  StoredSeries source(services_.series, control, services_.clock.wall());
  const auto result = evaluate_plan(source, *plan, grid, control);
  constexpr unsigned kOk = 200;
  constexpr unsigned kFailed = 422;
  const unsigned status = result ? kOk : kFailed;
  services_.queries.account({"rules", text, "rules", status}, control);
  services_.queries.board().remove(id, status);
  if (!result) return result.error();
  return samples_of(*result);
}

void StoredRules::stop() {
  is_stopped_ = true;
  services_.queries.board().stop_all(QueryStop::kServer);
}

Status StoredRules::record(std::span<const RecordedSample> samples, Timestamp at) {
  std::array<uint64_t, kRefusalCount> refused{};
  while (!samples.empty()) {
    const auto piece = samples.first(std::min(samples.size(), kPieceSamples));
    samples = samples.subspan(piece.size());
    batch_.clear();
    for (const RecordedSample& sample : piece) {
      std::string text;
      sample.value.append_to(text);
      Sample& out = batch_.samples.emplace_back();
      out.name = sample.name;
      out.time_s = recorded_time_s(at);
      ++batch_.received;
      if (services_.ends.of(sample.name)) services_.ends.clear(SeriesEnds::key(sample.name));
      if (parse_number(text, out.value).is_refused()) out.value = Number::of(sample.value.value());
    }
    services_.intake.submit(batch_, account_, services_.clock.wall());
    for (size_t i = 0; i < kRefusalCount; ++i) refused[i] += batch_.refused[i];
  }
  const std::string reasons = refusals_text(refused);
  if (reasons.empty()) return Status::ok();
  return Error{ErrorCode::kInvalid, "samples were refused: " + reasons};
}

void StoredRules::end(std::span<const std::string> names, Timestamp at) {
  for (const std::string& name : names)
    services_.ends.end(SeriesEnds::key(name), at.time_since_epoch().count());
}

}  // namespace statmill::rules
