// Collection: all collectors of an agent, called in turn; one that fails does not hold up the others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/collectors/collector.h"
#include "base/clock.h"
#include "base/log.h"
#include "proto/agent/frames.h"

namespace statmill {

// Confined to one thread.
class Collection {
 public:
  // A collector that is unavailable is left alone for this long.
  static constexpr Duration kRetryAfter{60'000};

  // `log` must outlive the collection.
  Collection(std::vector<std::unique_ptr<Collector>> collectors, Log& log);

  // Collects from each, and adds each one's status as `agent.<collector>.status`. The first status of each
  // and every change is logged.
  void collect(SteadyTime now, MetricSink& sink);

  // How each has been since its last call. The texts live until the next collect().
  std::vector<CollectorNote> notes() const;

 private:
  struct Member {
    std::unique_ptr<Collector> collector;
    CollectorStatus status;
    bool started = false;
    SteadyTime retry_at{};  // while unavailable
  };
  void take_status(Member& member, CollectorStatus status, SteadyTime now);

  std::vector<Member> members_;
  Log& log_;
};

}  // namespace statmill
