// EventLog: the newest events, in memory and in the store.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "server/documents/document_options.h"
#include "server/documents/event.h"
#include "server/tick/document_changes.h"
#include "statmill/registry.h"

namespace statmill {

// Which events are wanted.
struct EventQuery {
  std::optional<Timestamp> from = {};   // that end at `from` or later
  std::optional<Timestamp> until = {};  // that begin before
  std::vector<std::string> tags = {};   // that have any of them; empty: all events
  bool needs_all_tags = false;          // that have all of them, instead
  std::vector<std::string> where = {};  // whose `where` matches any of them or is empty; empty: all events
  size_t limit = 500;                   // the newest
};

struct EventPage {
  std::vector<Event> events;  // by time
  bool is_truncated = false;  // there are more, which are older
};

// Thread-safe. When it is full, the oldest events go: those of the server first, if they are more than half.
// Lock order: its lock, then that of the changes.
class EventLog {
 public:
  // Both must outlive it.
  EventLog(const EventLimits& limits, DocumentChanges& changes, Registry& registry);

  // For the server's start: puts in an event of the store. Removes the oldest ones above the limits.
  void restore(Event event);

  struct Added {
    uint64_t id = 0;
    DocumentChanges::Ticket ticket = 0;
  };
  // Adds an event, and gives it an id. Errors: kLimit (it is older than all that there is room for),
  // kUnavailable (the store takes no ticks).
  Result<Added> add(Event event);
  // Adds an event of the server itself; counts it if that is not possible.
  void add_own(Event event);
  // Errors: kNotFound.
  Result<DocumentChanges::Ticket> remove(uint64_t id);

  // Cost: a pass over the events of the time. Matching of `where` ends after about 0.1 s, with is_truncated.
  EventPage find(const EventQuery& query) const;
  // Returns when the events with all tags begin, from `from` on and before `until`, ascending, in unix
  // seconds. Cost: a pass over those events.
  std::vector<int64_t> times(const std::vector<std::string>& tags, Timestamp from, Timestamp until) const;
  // The newest id; 0: there was no event yet.
  uint64_t last_id() const;
  // Returns the events with ids above `id`, by id, as far as they need about `bytes_max`; the first one
  // always.
  std::vector<std::shared_ptr<const Event>> after(uint64_t id, size_t bytes_max) const;
  // Returns the event of the server itself with this tag that was added last.
  std::optional<Event> newest_own(std::string_view tag) const;

  size_t size() const;
  size_t bytes() const;

 private:
  using Key = std::pair<Timestamp, uint64_t>;  // time, id

  void insert(Event event) REQUIRES(mutex_);
  void erase(const Key& key) REQUIRES(mutex_);
  bool is_over_limit() const REQUIRES(mutex_);
  void shrink() REQUIRES(mutex_);

  const EventLimits limits_;
  DocumentChanges& changes_;
  mutable Mutex mutex_;
  std::map<Key, std::shared_ptr<const Event>> events_ GUARDED_BY(mutex_);
  std::map<uint64_t, Timestamp> times_ GUARDED_BY(mutex_);  // by id
  std::set<Key> own_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  uint64_t last_id_ GUARDED_BY(mutex_) = 0;
  Counter& dropped_;
  Counter& refused_;
};

}  // namespace statmill
