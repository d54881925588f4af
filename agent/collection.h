// Collection: calls all collectors of an agent in turn. If one fails, the others go on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/collectors/collector.h"
#include "agent/collectors/slot_cadence.h"
#include "base/clock.h"
#include "base/log.h"
#include "proto/agent/frames.h"

namespace statmill {

// Confined to one thread.
class Collection {
 public:
  // How long to wait before an unavailable collector is tried again.
  static constexpr Duration kRetryAfter{60'000};

  // `log` must outlive the collection.
  Collection(std::vector<std::unique_ptr<Collector>> collectors, Log& log);

  // Calls each collector. Logs the first status of each and every change.
  void read(SteadyTime now, MetricSink& sink);
  // Calls read(), and adds the status of each collector as the gauge host.agent.collector_status; and once
  // per slot of 10 s the CPU time of each as the total host.agent.collector_cpu_ns, where the collector
  // "other" is what else the process does.
  void collect(SteadyTime now, Timestamp wall, MetricSink& sink);

  // Returns the status of each collector at its last call. The texts are valid until the next collect().
  std::vector<CollectorNote> notes() const;

 private:
  struct Member {
    std::unique_ptr<Collector> collector;
    CollectorStatus status;
    bool started = false;
    SteadyTime retry_at{};  // while unavailable
    uint64_t cpu_ns = 0;    // CPU time of its collect() so far; its threads are not in it
  };
  static uint8_t sources_of(const Member& member);
  void update_status(Member& member, CollectorStatus status, SteadyTime now);
  void report_cost(Timestamp wall, MetricSink& sink);

  std::vector<Member> members_;
  SlotCadence cost_cadence_;
  uint64_t other_cpu_ns_ = 0;
  Log& log_;
};

}  // namespace statmill
