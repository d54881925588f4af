// SeriesChanges: a request to delete series, erase a range of their slots or rename them, applied between two
// epochs; and ChangedSeries, its result.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/table/shard.h"
#include "storage/store.h"

namespace statmill {

// A request to rename one series. The texts must outlive the change.
struct NewName {
  std::string_view from;
  std::string_view to;
};

// The changes of one tick. The names must outlive the call that gets them.
struct SeriesChanges {
  // Names to delete. With `slots`, only the samples in them are erased; a series that would have none left is
  // deleted.
  std::span<const std::string_view> deletes;
  std::optional<SlotRange> slots;  // of the finest tier; begin and end are slot boundaries of every tier
  std::span<const NewName> renames;
  // If it is not empty, only silent series are deleted: see FlushRules::kept_from.
  std::span<const Slot> kept_from = {};

  bool is_empty() const { return deletes.empty() && renames.empty(); }
};

// What a change did. Names that do not exist, new names that already exist, and series without samples in the
// slots are left out.
struct ChangedSeries {
  struct Renamed {
    SeriesRow row;  // with its new name
    RetentionClass retention = kDefaultRetention;
  };
  std::vector<SeriesId> deleted;
  std::vector<Renamed> renamed;
  size_t erased = 0;  // series that lost slots and still exist
  // The whole slots, of all series that still exist: exemplars may be older than the first sample.
  std::vector<ExemplarRange> erased_exemplars;

  size_t count() const { return deleted.size() + renamed.size() + erased; }
};

// A series whose slots the next flush erases.
struct ErasedSeries {
  SeriesId id = 0;
  SlotRange slots;  // within the series' first and last slot
};

}  // namespace statmill
