#include "server/http/query_service.h"

#include "base/text.h"

namespace statmill {
namespace {

constexpr std::array<std::string_view, 5> kStopLabels = {"", "client", "server", "admin", "timeout"};

}  // namespace

QueryService::QueryService(const QueryOptions& options, const Services& services)
    : options_(options),
      services_(services),
      memory_(options.limits.memory_total_bytes_max),
      board_(services.clock, options.slowest_max),
      slots_(services.registry.counter("statmill.query_slots", "Stored slots that queries have read.")),
      chunks_(services.registry.counter("statmill.query_chunks", "Chunks that queries have read.")),
      cached_(services.registry.counter("statmill.query_chunks_cached",
                                        "Chunks that queries have found in a cache.")),
      slow_(
          services.registry.counter("statmill.queries_slow", "Queries that took longer than --query.slow.")),
      busy_(services.registry.counter("statmill.queries_refused",
                                      "Queries refused, by the limit that they met.",
                                      {{"limit", "waiting"}})),
      refused_{},
      stopped_{},
      pool_(options.pool) {
  for (size_t i = 0; i < kQueryLimitCount; ++i) {
    refused_[i] =
        &services.registry.counter("statmill.queries_refused", "Queries refused, by the limit that they met.",
                                   {{"limit", std::string(limit_info(static_cast<QueryLimit>(i)).label)}});
  }
  for (size_t i = 1; i < kStopCount; ++i) {
    stopped_[i] = &services.registry.counter("statmill.queries_canceled",
                                             "Queries that ended early, by what ended them.",
                                             {{"by", std::string(kStopLabels[i])}});
  }
  services.registry.gauge_fn("statmill.queries_running", "Queries that run.", {},
                             [this] { return static_cast<double>(pool_.running()); });
  services.registry.gauge_fn("statmill.queries_waiting", "Queries that wait for a thread.", {},
                             [this] { return static_cast<double>(pool_.waiting()); });
  services.registry.gauge_fn("statmill.query_memory_bytes", "Bytes that running queries hold.", {},
                             [this] { return static_cast<double>(memory_.bytes()); });
}

void QueryService::count_stopped(const QueryControl& control) {
  const QueryStop by = control.stopped_by();
  if (by != QueryStop::kNone) stopped_[static_cast<size_t>(by)]->add();
}

void QueryService::account(const Ended& ended, const QueryControl& control) {
  const QueryCost cost = control.cost();
  services_.registry
      .histogram("statmill.query_ns",
                 "Time per query, from its start on a thread to the end of its computation.",
                 {{"endpoint", std::string(ended.endpoint)}})
      .record(static_cast<uint64_t>(cost.ms * 1e6));
  slots_.add(cost.slots);
  chunks_.add(cost.chunks);
  cached_.add(cost.cached);
  if (const auto limit = control.refused_by()) refused_[static_cast<size_t>(*limit)]->add();
  count_stopped(control);
  if (cost.ms < static_cast<double>(options_.slow.count())) return;
  slow_.add();
  if (services_.log == nullptr) return;
  const int64_t held_back = slow_lines_.admit(services_.clock.steady());
  if (held_back < 0) return;
  services_.log->info("slow query", {{"ms", static_cast<int64_t>(cost.ms)},
                                     {"query", visible_text(ended.text)},
                                     {"client", ended.client},
                                     {"status", ended.status},
                                     {"series", cost.series},
                                     {"chunks", cost.chunks},
                                     {"slots", cost.slots},
                                     {"held_back", held_back}});
}

}  // namespace statmill
