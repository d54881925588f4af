// DashboardSet: the saved dashboards with their last versions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "server/documents/dashboard_version.h"
#include "server/documents/document_options.h"
#include "server/tick/document_changes.h"
#include "statmill/registry.h"

namespace statmill {

// Thread-safe. Lock order: its lock, then that of the changes.
class DashboardSet {
 public:
  // Both must outlive it.
  DashboardSet(const DashboardLimits& limits, DocumentChanges& changes, Registry& registry);

  // For the server's start: puts in a version of the store. Versions of one dashboard come in order.
  void restore(DashboardRow row);

  // What a change requires of the present state: the fields If-Match and If-None-Match of the request.
  struct Condition {
    std::string_view if_match = {};
    bool is_new = false;  // If-None-Match: *
  };
  enum class Outcome {
    kDone,
    kConflict,     // the condition does not hold
    kNoCondition,  // neither field was sent
    kNotFound,     // there is nothing to delete
    kLimit,        // there are too many dashboards, or too many bytes of them
    kUnavailable,  // the store takes no ticks
  };
  struct Changed {
    Outcome outcome = Outcome::kDone;
    uint32_t version = 0;  // the new one; after kConflict the present one, 0 if there is none
    std::string etag = {};
    DocumentChanges::Ticket ticket = 0;
  };
  // Saves `version` under the next number, which it need not have. Requires: `id` and the text are checked.
  Changed save(std::string_view id, DashboardVersion version, const Condition& condition);
  // Deletes a dashboard; its versions stay for DashboardLimits::deleted_kept.
  Changed remove(std::string_view id, DashboardVersion version, const Condition& condition);
  // Removes what was deleted long ago.
  void expire(Timestamp now);

  struct Listed {
    std::string id;
    DashboardVersion newest;
  };
  // Returns the dashboards that are not deleted, by id.
  std::vector<Listed> list() const;
  // Returns the newest version, or the given one; nullopt if there is none. The newest one of a deleted
  // dashboard is nullopt.
  std::optional<DashboardVersion> find(std::string_view id, std::optional<uint32_t> version = {}) const;
  // Returns the versions that are kept, the newest first, also those of a deleted dashboard.
  std::vector<DashboardVersion> versions(std::string_view id) const;

  size_t size() const;
  size_t bytes() const;

 private:
  using Versions = std::vector<DashboardVersion>;  // ascending, not empty

  Changed change(std::string_view id, DashboardVersion version, const Condition& condition);
  bool has_room(std::string_view id, const DashboardVersion& version) const REQUIRES(mutex_);
  void erase_first(std::string_view id, Versions& versions) REQUIRES(mutex_);

  const DashboardLimits limits_;
  DocumentChanges& changes_;
  mutable Mutex mutex_;
  std::map<std::string, Versions, std::less<>> dashboards_ GUARDED_BY(mutex_);
  size_t bytes_ GUARDED_BY(mutex_) = 0;
  Counter& refused_;
};

}  // namespace statmill
