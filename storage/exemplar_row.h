// ExemplarRow: the largest exemplar of one series in one slot of the finest tier:
//
//   version u8 = 1 | value f64 | time svarint ms | labels | crc32c u32be over the key and all of that
//
// The larger of two rows of one key is kept, whichever comes first, so that one that comes again, or late,
// changes nothing.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/ids.h"

namespace statmill {

struct ExemplarKey {
  SeriesId id = 0;
  Slot slot = 0;  // of the finest tier; not negative
  friend auto operator<=>(const ExemplarKey&, const ExemplarKey&) = default;
};

struct ExemplarRow {
  ExemplarKey key;
  double value = 0;  // finite
  int64_t time_ms = 0;
  std::string labels;  // encoded (proto/exemplar.h)

  bool operator==(const ExemplarRow&) const = default;
};

// Exemplars of one series that are removed: those of the slots [begin, end).
struct ExemplarRange {
  SeriesId id = 0;
  Slot begin = 0;
  Slot end = std::numeric_limits<Slot>::max();
};

// Returns whether `a` is kept if both are of one key: an order of all rows, by value, then time, then labels.
bool is_larger(const ExemplarRow& a, const ExemplarRow& b);

// The key of the row: id u32, slot u64.
std::string exemplar_key(const ExemplarKey& key);
// Returns nullopt if `bytes` are not the key of such a row.
std::optional<ExemplarKey> parse_exemplar_key(std::string_view bytes);

// Requires: the labels are encoded.
std::string encode_exemplar_row(const ExemplarRow& row);
// Errors: kCorrupt, kVersion.
Result<ExemplarRow> decode_exemplar_row(const ExemplarKey& key, std::string_view bytes);

}  // namespace statmill
