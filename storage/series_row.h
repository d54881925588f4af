// SeriesRow: what the store keeps of a series apart from its buckets, and how it is stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proto/sample.h"
#include "storage/ids.h"

namespace statmill {

struct SeriesRow {
  SeriesId id = 0;
  Kind kind = Kind::kGauge;
  std::string name;
  // The widest buckets that its samples came in, of a distribution: each of them is as wide as 2^joined_power
  // buckets of our partition. 0 to kSentJoinedPowerMax.
  uint8_t joined_power = 0;
  // The slots in its journal entries are those of the detail tier, not of the finest one.
  bool is_detailed = false;
};

// Returns the value of a row; the id is its key. The format is in FORMAT.md.
std::string encode_series_row(const SeriesRow& series);
// Returns the value of the row of a deleted series.
std::string encode_deleted_series();

bool is_deleted_series(std::string_view row);
// Returns nullopt if the bytes are no row of a series; `id` is copied to the result.
std::optional<SeriesRow> decode_series_row(SeriesId id, std::string_view row);

}  // namespace statmill
