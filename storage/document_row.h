// DocumentRow: a short text of users that the store keeps next to the series, under a key of its kind and id:
//
//   version u8 = 1 | time svarint ms | body | crc32c u32be over the key and that
//
// The body is opaque here: FORMAT.md, "Documents".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace statmill {

enum class DocumentKind : uint8_t {
  kEvent = 0,
  kDashboard = 1,  // one version of a dashboard
  kView = 2,
  kSettings = 3,  // a file of istatd's settings
  kAlert = 4,     // an active alert of a rule
};
inline constexpr size_t kDocumentKindCount = 5;

inline constexpr size_t kDocumentIdBytesMax = 128;
inline constexpr size_t kDocumentBodyBytesMax = size_t{1} << 20;

struct DocumentKey {
  DocumentKind kind = DocumentKind::kEvent;
  std::string id;  // any bytes, 1 to kDocumentIdBytesMax
  friend auto operator<=>(const DocumentKey&, const DocumentKey&) = default;
};

struct DocumentRow {
  DocumentKey key;
  Timestamp time{};
  std::string body;

  bool operator==(const DocumentRow&) const = default;
};

struct DocumentRows {
  std::vector<DocumentRow> rows;     // by key
  std::vector<DocumentKey> damaged;  // whose rows failed their check
};

// The key of the row: "document", kind u8, id.
std::string document_key(const DocumentKey& key);
// Returns nullopt if `bytes` are not the key of a document's row.
std::optional<DocumentKey> parse_document_key(std::string_view bytes);

// Requires: the id and the body are within their limits.
std::string encode_document_row(const DocumentRow& row);
// Errors: kCorrupt, kVersion.
Result<DocumentRow> decode_document_row(const DocumentKey& key, std::string_view bytes);

}  // namespace statmill
