// SeriesIds: hands out the ids of new series, first those that are free again. So there are about as many ids
// as series, and everything that is indexed by id stays small.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "storage/ids.h"

namespace statmill {

// Not thread-safe.
class SeriesIds {
 public:
  // Returns an id that no series has.
  SeriesId take() {
    if (free_.empty()) return end_++;
    const SeriesId id = free_.back();
    free_.pop_back();
    return id;
  }
  // Marks an id as used, which some series has or had.
  void include(SeriesId id) { end_ = std::max(end_, id + 1); }
  // Requires: each id was handed out, its series is removed, and nothing refers to it. Cost: a copy.
  void release(std::span<const SeriesId> ids) { free_.insert(free_.end(), ids.rbegin(), ids.rend()); }

  // All ids are below.
  SeriesId end() const { return end_; }

 private:
  SeriesId end_ = 0;
  std::vector<SeriesId> free_;  // the last one is the next to be handed out
};

}  // namespace statmill
