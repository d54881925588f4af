// FamilyRow: what the store keeps about one family, under a key of its kind and path:
//
//   version u8 = 1 | unit: length varint, bytes | help: length varint, bytes | crc32c u32be over the key and
//   that
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "proto/family.h"

namespace statmill {

struct FamilyKey {
  std::string path;
  Kind kind = Kind::kGauge;
  friend auto operator<=>(const FamilyKey&, const FamilyKey&) = default;
};

struct FamilyRow {
  FamilyKey key;
  std::string unit;
  std::string help;

  FamilyText text() const { return {key.kind, key.path, unit, help}; }
  bool operator==(const FamilyRow&) const = default;
};

struct FamilyRows {
  std::vector<FamilyRow> rows;
  std::vector<FamilyKey> damaged;  // whose rows failed their check
};

// The key of the row: "family", kind u8, path.
std::string family_key(const FamilyKey& key);
// Returns nullopt if `bytes` are not the key of a family's row.
std::optional<FamilyKey> parse_family_key(std::string_view bytes);

std::string encode_family_row(const FamilyRow& row);
// Errors: kCorrupt, kVersion.
Result<FamilyRow> decode_family_row(const FamilyKey& key, std::string_view bytes);

}  // namespace statmill
