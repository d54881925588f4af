#include "agent/collection.h"

#include <algorithm>
#include <utility>

#include "base/running.h"
#include "base/thread_cpu.h"
#include "base/thread_times.h"

namespace statmill {

Collection::Collection(std::vector<std::unique_ptr<Collector>> collectors, Log& log) : log_(log) {
  members_.reserve(collectors.size());
  for (auto& collector : collectors) members_.push_back({.collector = std::move(collector), .status = {}});
}

void Collection::read(SteadyTime now, MetricSink& sink) {
  using Level = CollectorStatus::Level;
  uint64_t begin_ns = thread_cpu_ns();
  for (Member& member : members_) {
    const Running running(member.collector->name().data());
    sink.begin_collector(member.collector->name());
    const bool waits = member.status.level == Level::kUnavailable && now < member.retry_at;
    if (!waits) update_status(member, member.collector->collect(sink), now);
    const uint64_t end_ns = thread_cpu_ns();
    member.cpu_ns += end_ns - begin_ns;
    begin_ns = end_ns;
  }
  sink.begin_collector({});
}

void Collection::collect(SteadyTime now, Timestamp wall, MetricSink& sink) {
  read(now, sink);
  for (const Member& member : members_)
    sink.gauge("host.agent.collector_status", {member.collector->name()},
               static_cast<double>(member.status.level));
  report_cost(wall, sink);
}

// Once per slot, because there are as many collectors as there are parts of a host.
void Collection::report_cost(Timestamp wall, MetricSink& sink) {
  if (!cost_cadence_.is_due(wall)) {
    sink.keep("host.agent.collector_cpu_ns");
    return;
  }
  uint64_t collectors = 0;
  for (const Member& member : members_) {
    const uint64_t cpu_ns = member.cpu_ns + member.collector->background_cpu_ns();
    collectors += cpu_ns;
    sink.total("host.agent.collector_cpu_ns", {member.collector->name()}, cpu_ns);
  }
  // A thread's work counts for its collector when it is done, so the rest may be less than it was.
  const uint64_t process = process_cpu_ns();
  other_cpu_ns_ = std::max(other_cpu_ns_, process - std::min(process, collectors));
  sink.total("host.agent.collector_cpu_ns", {"other"}, other_cpu_ns_);
}

uint8_t Collection::sources_of(const Member& member) {
  const bool works = member.status.level != CollectorStatus::Level::kUnavailable;
  return works ? member.collector->sources() : uint8_t{kSourcesNotKnown};
}

std::vector<CollectorNote> Collection::notes() const {
  std::vector<CollectorNote> notes;
  for (const Member& member : members_) {
    if (!member.started || notes.size() == kCollectorsMax) continue;
    notes.push_back({.name = member.collector->name().substr(0, kCollectorNameBytesMax),
                     .state = static_cast<uint8_t>(member.status.level),
                     .reason = std::string_view(member.status.reason).substr(0, kCollectorReasonBytesMax),
                     .sources = sources_of(member)});
  }
  return notes;
}

void Collection::update_status(Member& member, CollectorStatus status, SteadyTime now) {
  const bool first = !std::exchange(member.started, true);
  const bool changed = first || status != member.status;
  const bool worse = !first && status.level > member.status.level;
  member.status = std::move(status);
  member.retry_at = now + kRetryAfter;
  if (!changed) return;
  const std::initializer_list<LogField> fields = {{"name", member.collector->name()},
                                                  {"status", status_text(member.status.level)},
                                                  {"reason", member.status.reason}};
  if (worse) {
    log_.warn("collector", fields);
  } else {
    log_.info("collector", fields);
  }
}

}  // namespace statmill
