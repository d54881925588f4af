// SeriesChanges: what is to become of series between two epochs, and what came of it: deleted, emptied over a
// range of slots, renamed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/table/shard.h"
#include "storage/store.h"

namespace statmill {

// A new name for a series; what it points at must outlive the change.
struct NewName {
  std::string_view from;
  std::string_view to;
};

// The share of one tick. What it points at must outlive the call that it is handed to.
struct SeriesChanges {
  // Names to delete; with `slots` only what lies in them, and series of which nothing would be left.
  std::span<const std::string_view> deletes;
  std::optional<SlotRange> slots;  // of the finest tier; begin and end are slots of every tier
  std::span<const NewName> renames;

  bool is_empty() const { return deletes.empty() && renames.empty(); }
};

// Names that there were not, names that were taken and series with nothing in the slots are left out.
struct ChangedSeries {
  struct Renamed {
    SeriesRow row;  // with its new name
    RetentionClass retention = kDefaultRetention;
  };
  std::vector<SeriesId> deleted;
  std::vector<Renamed> renamed;
  size_t erased = 0;  // series that lost slots and are still there

  size_t count() const { return deleted.size() + renamed.size() + erased; }
};

// A series that loses slots in a flush.
struct ErasedSeries {
  SeriesId id = 0;
  SlotRange slots;  // no wider than the series' own
};

}  // namespace statmill
