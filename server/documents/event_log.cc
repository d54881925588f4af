#include "server/documents/event_log.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/glob.h"

namespace statmill {
namespace {

constexpr size_t kBytesPerEvent = 500;  // of its nodes in the maps, about

size_t bytes_of(const Event& event) {
  size_t bytes = kBytesPerEvent + event.title.size() + event.text.size() + event.by.size();
  bytes += event.where.size();
  for (const std::string& tag : event.tags) bytes += sizeof(std::string) + tag.size();
  return bytes;
}

bool has_wanted_tags(const std::vector<std::string>& tags, const EventQuery& query) {
  const auto is_there = [&](const std::string& tag) { return std::ranges::find(tags, tag) != tags.end(); };
  return query.needs_all_tags ? std::ranges::all_of(query.tags, is_there)
                              : query.tags.empty() || std::ranges::any_of(query.tags, is_there);
}

// Matches globs of events with texts. Many events have the same glob, which is parsed once.
class PlaceFilter {
 public:
  // `wanted` must outlive it.
  explicit PlaceFilter(const std::vector<std::string>& wanted) : wanted_(wanted) {}

  // `where` must outlive this object.
  bool accepts(std::string_view where) {
    if (where.empty() || wanted_.empty()) return true;
    const auto known = results_.find(where);
    if (known != results_.end()) return known->second;
    if (is_exhausted()) return false;
    return results_[where] = matches(where);
  }
  bool is_exhausted() const { return steps_ > kStepsMax; }

 private:
  bool matches(std::string_view where) {
    const Result<Glob> glob = Glob::parse(where);
    if (!glob) return false;
    steps_ += kStepsPerParsedByte * where.size() * glob->alternatives().size();
    return std::ranges::any_of(wanted_, [&](const std::string& text) { return glob->matches(text, steps_); });
  }

  static constexpr uint64_t kStepsMax = 100'000'000;   // a step is about 1 ns
  static constexpr uint64_t kStepsPerParsedByte = 50;  // of each alternative
  const std::vector<std::string>& wanted_;
  std::map<std::string_view, bool> results_;
  uint64_t steps_ = 0;
};

}  // namespace

EventLog::EventLog(const EventLimits& limits, DocumentChanges& changes, Registry& registry)
    : limits_(limits),
      changes_(changes),
      dropped_(registry.counter("statmill.events_dropped", "Events that went because newer ones came.")),
      refused_(registry.counter("statmill.events_refused", "Events that there was no room for.")) {
  registry.gauge_fn("statmill.events", "Events that are kept.", {},
                    [this] { return static_cast<double>(size()); });
  registry.gauge_fn("statmill.event_bytes", "RAM used by events.", {},
                    [this] { return static_cast<double>(bytes()); });
}

void EventLog::restore(Event event) {
  MutexLock lock(mutex_);
  last_id_ = std::max(last_id_, event.id);
  insert(std::move(event));
  shrink();
}

Result<EventLog::Added> EventLog::add(Event event) {
  const auto refuse = [this](ErrorCode code, std::string_view why) {
    refused_.add();
    return Error{code, std::string(why)};
  };
  if (!changes_.has_room())
    return refuse(ErrorCode::kUnavailable, "the store takes no ticks; the event is not kept");
  MutexLock lock(mutex_);
  event.id = last_id_ + 1;
  const Key key{event.time, event.id};
  if (events_.size() >= limits_.events_max && (events_.empty() || key < events_.begin()->first))
    return refuse(ErrorCode::kLimit, "there are " + std::to_string(limits_.events_max) +
                                         " events, and all are newer than this one (--limits.events)");
  last_id_ = event.id;
  const DocumentChanges::Ticket ticket = changes_.put(event_row(event));
  insert(std::move(event));
  shrink();
  return Added{key.second, ticket};
}

void EventLog::add_own(Event event) {
  event.is_own = true;
  static_cast<void>(add(std::move(event)));  // counts a refusal
}

Result<DocumentChanges::Ticket> EventLog::remove(uint64_t id) {
  MutexLock lock(mutex_);
  const auto time = times_.find(id);
  if (time == times_.end()) return Error{ErrorCode::kNotFound, "there is no event " + std::to_string(id)};
  erase({time->second, id});
  return changes_.remove(event_key(id));
}

void EventLog::insert(Event event) {
  const Key key{event.time, event.id};
  bytes_ += bytes_of(event);
  times_[event.id] = event.time;
  if (event.is_own) own_.insert(key);
  events_[key] = std::make_shared<const Event>(std::move(event));
}

void EventLog::erase(const Key& key) {
  const auto at = events_.find(key);
  bytes_ -= bytes_of(*at->second);
  times_.erase(key.second);
  own_.erase(key);
  events_.erase(at);
}

bool EventLog::is_over_limit() const {
  return events_.size() > limits_.events_max || bytes_ > limits_.bytes_max;
}

// The newest event always stays.
void EventLog::shrink() {
  while (is_over_limit() && events_.size() > 1) {
    const bool drops_own = own_.size() > events_.size() / 2;
    const Key key = drops_own ? *own_.begin() : events_.begin()->first;
    erase(key);
    changes_.remove(event_key(key.second));
    dropped_.add();
  }
}

EventPage EventLog::find(const EventQuery& query) const {
  std::vector<std::shared_ptr<const Event>> newest_first;
  {
    MutexLock lock(mutex_);
    auto at = query.until ? events_.lower_bound({*query.until, 0}) : events_.end();
    while (at != events_.begin()) newest_first.push_back((--at)->second);
  }
  EventPage page;
  PlaceFilter places(query.where);
  for (const auto& event : newest_first) {
    if (query.from && event->until.value_or(event->time) < *query.from) continue;
    if (!has_wanted_tags(event->tags, query) || !places.accepts(event->where)) continue;
    page.is_truncated = page.events.size() >= query.limit || places.is_exhausted();
    if (page.is_truncated) break;
    page.events.push_back(*event);
  }
  page.is_truncated = page.is_truncated || places.is_exhausted();
  std::ranges::reverse(page.events);
  return page;
}

std::vector<int64_t> EventLog::times(const std::vector<std::string>& tags, Timestamp from,
                                     Timestamp until) const {
  std::vector<std::shared_ptr<const Event>> events;
  {
    MutexLock lock(mutex_);
    for (auto at = events_.lower_bound({from, 0}); at != events_.end() && at->first.first < until; ++at)
      events.push_back(at->second);
  }
  const EventQuery query{.tags = tags, .needs_all_tags = true};
  std::vector<int64_t> out;
  for (const auto& event : events) {
    if (has_wanted_tags(event->tags, query)) out.push_back(unix_seconds(event->time));
  }
  return out;
}

uint64_t EventLog::last_id() const {
  MutexLock lock(mutex_);
  return last_id_;
}

std::vector<std::shared_ptr<const Event>> EventLog::after(uint64_t id, size_t bytes_max) const {
  std::vector<std::shared_ptr<const Event>> newer;
  size_t bytes = 0;
  MutexLock lock(mutex_);
  for (auto at = times_.upper_bound(id); at != times_.end() && (newer.empty() || bytes < bytes_max); ++at) {
    newer.push_back(events_.at({at->second, at->first}));
    bytes += bytes_of(*newer.back());
  }
  return newer;
}

std::optional<Event> EventLog::newest_own(std::string_view tag) const {
  MutexLock lock(mutex_);
  std::optional<Event> newest;
  for (const Key& key : own_) {
    const Event& event = *events_.at(key);
    const bool has_tag = std::ranges::find(event.tags, tag) != event.tags.end();
    if (has_tag && (!newest || newest->id < event.id)) newest = event;
  }
  return newest;
}

size_t EventLog::size() const {
  MutexLock lock(mutex_);
  return events_.size();
}

size_t EventLog::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace statmill
