// FakeServices: replaces the rest of the server for the HTTP handlers; tests choose its answers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "proto/istatd/parser.h"
#include "server/http/api_routes.h"
#include "server/http/http_server.h"
#include "server/http/http_services.h"

namespace statmill {

// 2026-11-20 12:00:00 UTC.
inline constexpr int64_t kFakeNow_s = 1'795'176'000;

class FixedClock final : public Clock {
 public:
  Timestamp wall() const override { return from_unix_seconds(kFakeNow_s); }
  SteadyTime steady() const override { return {}; }
};

inline Bucket bucket_of(std::initializer_list<double> samples) {
  Bucket bucket;
  for (const double sample : samples) bucket.merge(Bucket::of(Number::of(sample)));
  return bucket;
}

// Returns an answer without series, read from the tier with the same step.
inline QueryAnswer answer_over(int64_t from_s, int64_t until_s, int64_t step_s) {
  QueryAnswer answer;
  answer.from_s = from_s;
  answer.until_s = until_s;
  answer.step_s = answer.tier_s = step_s;
  return answer;
}

// Returns one gauge "cpu" with three slots, of which the middle one is empty.
inline QueryAnswer small_answer() {
  QueryAnswer answer = answer_over(100, 130, 10);
  answer.series.push_back({"cpu", Kind::kGauge, {bucket_of({1, 2}), Bucket(), bucket_of({4})}});
  return answer;
}

// The size of a body that does not fit into the socket buffers of both ends.
inline constexpr size_t kLongBodyBytes = size_t{32} << 20;

// Thread-safe. Set functions and status before the first request.
class FakeServices {
 public:
  HttpServices services() {
    return {.query =
                [this](const QueryRequest& request, Timestamp) {
                  {
                    MutexLock lock(mutex_);
                    queries_.push_back(request);
                  }
                  return on_query(request);
                },
            .list = [this](const Glob& match, size_t limit) { return on_list(match, limit); },
            .take_lines = [this](std::string_view text, Timestamp) { return take_lines(text); },
            .status_json = [this] { return status; },
            .rejects_json = [] { return std::string("{\"rejects\":[]}\n"); },
            .cardinality_json = [](size_t parts) { return "parts " + std::to_string(parts) + "\n"; },
            .agents_json = [] { return std::string("{\"known\":0,\"connected\":0,\"agents\":[]}\n"); },
            .makes_progress = [this] { return makes_progress.load(); },
            .registry = registry,
            .health = health,
            .clock = clock};
  }

  HttpSite site() { return {api_routes(services()), registry, clock}; }

  std::vector<QueryRequest> queries() const {
    MutexLock lock(mutex_);
    return queries_;
  }
  // Returns all bodies that reached the intake, in order.
  std::vector<std::string> bodies() const {
    MutexLock lock(mutex_);
    return bodies_;
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
  std::function<SeriesPage(const Glob&, size_t)> on_list = [](const Glob&, size_t) {
    return SeriesPage{{{"cpu", Kind::kGauge, 100}, {"hits", Kind::kEvent, 90}}, true};
  };
  std::string status = "{\"version\":\"test\"}\n";
  std::atomic<bool> makes_progress{true};
  Registry registry;
  Health health;
  FixedClock clock;

 private:
  LinesAccount take_lines(std::string_view text) {
    Batch batch;
    parse_istatd_lines(text, batch);
    MutexLock lock(mutex_);
    bodies_.emplace_back(text);
    return {batch.received, batch.samples.size(), batch.refused};
  }

  mutable Mutex mutex_;
  std::vector<QueryRequest> queries_ GUARDED_BY(mutex_);
  std::vector<std::string> bodies_ GUARDED_BY(mutex_);
};

}  // namespace statmill
