// FakeServices: replaces the rest of the server for the HTTP handlers; tests choose its answers.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "server/http/api_routes.h"
#include "server/http/http_server.h"
#include "server/http/http_services.h"
#include "tests/support/answers.h"
#include "tests/support/manual_clock.h"

namespace statmill {

// 2026-11-20 12:00:00 UTC.
inline constexpr int64_t kFakeNow_s = 1'795'176'000;

inline Bucket bucket_of(std::initializer_list<double> samples) {
  Bucket bucket;
  for (const double sample : samples) bucket.merge(Bucket::of(Number::of(sample)));
  return bucket;
}

// Returns an answer without series, read from the tier with the same step.
inline QueryAnswer answer_over(int64_t from_s, int64_t until_s, int64_t step_s) {
  QueryAnswer answer;
  answer.bins = {from_s, step_s, static_cast<size_t>((until_s - from_s) / step_s), from_s, until_s};
  answer.tier_s = step_s;
  return answer;
}

// Returns one gauge "cpu" with three slots, of which the middle one is empty.
inline QueryAnswer small_answer() {
  QueryAnswer answer = answer_over(100, 130, 10);
  const std::vector<Bucket> buckets = {bucket_of({1, 2}), Bucket(), bucket_of({4})};
  answer.series.push_back({"cpu", Kind::kGauge, columns_of(buckets)});
  return answer;
}

// The size of a body that does not fit into the socket buffers of both ends.
inline constexpr size_t kLongBodyBytes = size_t{32} << 20;

// Thread-safe. Set functions and status before the first request.
class FakeServices final : public Queries, public Reports, public SampleSink {
 public:
  HttpServices services() { return {*this, lines_, *this, registry, health, clock, board}; }

  HttpSite site() { return {api_routes(services()), registry, clock}; }

  std::vector<QueryRequest> queries() const {
    MutexLock lock(mutex_);
    return queries_;
  }
  // Returns the names of each batch that reached the sink, separated by commas.
  std::vector<std::string> batches() const {
    MutexLock lock(mutex_);
    return batches_;
  }
  // Returns the value of a counter or gauge; -1 if it does not exist.
  double reading(std::string_view name, std::string_view label = {}) const {
    for (const Reading& r : registry.read()) {
      const bool is_labelled = label.empty() || r.name.ends_with("=" + std::string(label));
      if (r.path() == name && is_labelled) return r.value();
    }
    return -1;
  }

  std::function<Result<QueryAnswer>(const QueryRequest&)> on_query = [](const QueryRequest&) {
    return small_answer();
  };
  // If it is set, on_query is not called.
  std::function<Result<QueryAnswer>(const QueryRequest&, QueryControl&)> on_controlled_query;
  std::function<SeriesPage(const Glob&, size_t)> on_list = [](const Glob&, size_t) {
    return SeriesPage{
        {{"cpu", Kind::kGauge, 100, 50, "percent", "Load.", "10s:1d"}, {"hits", Kind::kEvent, 90}}, true};
  };
  std::function<SeriesPage(std::span<const LabelMatcher>, size_t)> on_select =
      [](std::span<const LabelMatcher>, size_t) { return SeriesPage{}; };
  std::function<Result<TreePage>(const TreeRequest&)> on_tree = [](const TreeRequest&) { return TreePage{}; };
  std::function<Result<SearchPage>(const SearchRequest&)> on_search = [](const SearchRequest&) {
    return SearchPage{};
  };
  std::vector<Refused> refused;
  std::string status_text = "{\"version\":\"test\"}\n";
  std::atomic<bool> has_progress{true};
  Registry registry;
  Health health;
  ManualClock clock{kFakeNow_s};
  QueryBoard board{clock, 100};

 private:
  Result<QueryAnswer> run(const QueryRequest& request, Timestamp, QueryControl& control) const override {
    {
      MutexLock lock(mutex_);
      queries_.push_back(request);
    }
    return on_controlled_query ? on_controlled_query(request, control) : on_query(request);
  }
  Result<TreePage> tree(const TreeRequest& request, QueryControl&) const override { return on_tree(request); }
  Result<SearchPage> search(const SearchRequest& request, QueryControl&) const override {
    return on_search(request);
  }
  Result<StatTable> table(const StatTableRequest&, Timestamp, QueryControl&) const override {
    return StatTable{};
  }
  Result<ChangesAnswer> changes(const ChangesRequest&, Timestamp, QueryControl&) const override {
    return ChangesAnswer{};
  }
  Result<SeriesPage> list(const Glob& match, size_t limit, QueryControl&) const override {
    return on_list(match, limit);
  }
  Result<SeriesPage> list(std::span<const LabelMatcher> matchers, size_t limit,
                          QueryControl&) const override {
    return on_select(matchers, limit);
  }
  std::string status(const Reader&) const override { return status_text; }
  std::string rejects() const override { return "{\"rejects\":[]}\n"; }
  std::vector<Refused> refused_with(const std::vector<std::string>&, size_t limit) const override {
    return {refused.begin(), refused.begin() + static_cast<ptrdiff_t>(std::min(limit, refused.size()))};
  }
  std::string cardinality(size_t parts) const override { return "parts " + std::to_string(parts) + "\n"; }
  std::string agents(const AgentFilter& filter) const override {
    return std::string(filter.host ? "a host" : "all hosts") + (filter.since ? " since\n" : "\n");
  }
  std::string retention(const std::string& name) const override { return name + "\n"; }
  std::string hosts() const override { return "{\"now\":0,\"hosts\":[]}\n"; }
  bool makes_progress() const override { return has_progress.load(); }
  uint64_t apply(Batch& batch, Timestamp) override {
    std::string names;
    for (const Sample& sample : batch.samples) names.append(names.empty() ? "" : ",").append(sample.name);
    MutexLock lock(mutex_);
    batches_.push_back(std::move(names));
    return batch.samples.size();
  }

  mutable Mutex mutex_;
  mutable std::vector<QueryRequest> queries_ GUARDED_BY(mutex_);
  std::vector<std::string> batches_ GUARDED_BY(mutex_);
  Registry ingest_registry_;  // so that tests of /metrics see only their own
  Intake intake_{*this, ingest_registry_};
  const LineIntake lines_{intake_, "http"};
};

}  // namespace statmill
