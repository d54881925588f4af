#include "agent/collection.h"

#include <utility>

#include "base/running.h"

namespace statmill {

Collection::Collection(std::vector<std::unique_ptr<Collector>> collectors, Log& log) : log_(log) {
  members_.reserve(collectors.size());
  for (auto& collector : collectors) members_.push_back({.collector = std::move(collector), .status = {}});
}

void Collection::collect(SteadyTime now, MetricSink& sink) {
  using Level = CollectorStatus::Level;
  for (Member& member : members_) {
    const Running running(member.collector->name().data());
    const bool waits = member.status.level == Level::kUnavailable && now < member.retry_at;
    if (!waits) update_status(member, member.collector->collect(sink), now);
    sink.gauge("host.agent.collector_status", {member.collector->name()},
               static_cast<double>(member.status.level));
  }
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
