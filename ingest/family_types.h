// FamilyTypes: which series of Prometheus are cumulative counters. 2.0 of remote_write says the type of each
// series; 1.0 says it of families, in messages of their own, which come once a minute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/mutex.h"
#include "base/text_map.h"
#include "proto/prometheus/family_type.h"

namespace statmill {

// What is known of a series apart from its family.
struct SeriesClues {
  FamilyType type = FamilyType::kUnknown;
  bool has_le = false;  // it has the label `le` of buckets
};

// Thread-safe. A leaf: no lock is acquired while its own is held.
class FamilyTypes {
 public:
  // How many families are remembered; types of further ones are ignored.
  static constexpr size_t kFamiliesMax = 100'000;

  // `texts` is a hash of what else is known of the family. Returns false if nothing of it has changed, or it
  // is not remembered.
  bool note(std::string_view family, FamilyType type, uint64_t texts = 0);
  // Returns whether the series with this __name__ is a cumulative counter: by its own type, or that of its
  // family; else if it is named as counters are, x_total or x_bucket with `le`. Sums and counts of families
  // without a type are gauges: a gauge that counts as a counter would be ruined.
  bool is_counter(std::string_view name, const SeriesClues& clues) const;

 private:
  struct Known {
    FamilyType type = FamilyType::kUnknown;
    uint64_t texts = 0;
  };
  std::optional<FamilyType> type_of(std::string_view family) const;

  mutable Mutex mutex_;
  TextMap<Known> types_ GUARDED_BY(mutex_);
};

}  // namespace statmill
