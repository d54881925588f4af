#include "storage/document_row.h"

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "storage/keys.h"

namespace statmill {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kChecksumBytes = 4;

uint32_t checksum(const DocumentKey& key, std::string_view body) {
  return crc32c(body, crc32c(document_key(key)));
}

Error corrupt(std::string_view what) { return {ErrorCode::kCorrupt, "document row: " + std::string(what)}; }

}  // namespace

std::string document_key(const DocumentKey& key) {
  std::string out(kDocumentPrefix);
  Writer writer(out);
  writer.u8(static_cast<uint8_t>(key.kind));
  writer.bytes(key.id);
  return out;
}

std::optional<DocumentKey> parse_document_key(std::string_view bytes) {
  if (!bytes.starts_with(kDocumentPrefix)) return std::nullopt;
  Reader reader(bytes.substr(kDocumentPrefix.size()));
  const uint8_t kind = reader.u8();
  const std::string_view id = reader.bytes(reader.remaining());
  if (reader.failed() || kind >= kDocumentKindCount || id.empty() || id.size() > kDocumentIdBytesMax)
    return std::nullopt;
  return DocumentKey{static_cast<DocumentKind>(kind), std::string(id)};
}

std::string encode_document_row(const DocumentRow& row) {
  SM_CHECK(!row.key.id.empty() && row.key.id.size() <= kDocumentIdBytesMax);
  SM_CHECK(row.body.size() <= kDocumentBodyBytesMax);
  std::string out;
  Writer writer(out);
  writer.u8(kVersion);
  writer.svarint(row.time.time_since_epoch().count());
  writer.bytes(row.body);
  writer.u32be(checksum(row.key, out));
  return out;
}

Result<DocumentRow> decode_document_row(const DocumentKey& key, std::string_view bytes) {
  if (bytes.size() < kChecksumBytes + 2) return corrupt("too short");
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (Reader(bytes.substr(body.size())).u32be() != checksum(key, body)) return corrupt("checksum");
  Reader reader(body);
  if (reader.u8() != kVersion) return Error{ErrorCode::kVersion, "document row: unknown version"};
  const Timestamp time{Duration(reader.svarint())};
  if (reader.failed() || reader.remaining() > kDocumentBodyBytesMax) return corrupt("length");
  return DocumentRow{key, time, std::string(reader.rest())};
}

}  // namespace statmill
