#include "storage/family_row.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "storage/keys.h"

namespace statmill {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kChecksumBytes = 4;

uint32_t checksum(const FamilyKey& key, std::string_view body) {
  return crc32c(body, crc32c(family_key(key)));
}

void put(Writer& writer, std::string_view text) {
  writer.varint(text.size());
  writer.bytes(text);
}
std::string read_text(Reader& reader) { return std::string(reader.bytes(reader.varint())); }

Error corrupt(std::string_view what) { return {ErrorCode::kCorrupt, "family row: " + std::string(what)}; }

}  // namespace

std::string family_key(const FamilyKey& key) {
  std::string out(kFamilyPrefix);
  Writer writer(out);
  writer.u8(static_cast<uint8_t>(key.kind));
  writer.bytes(key.path);
  return out;
}

std::optional<FamilyKey> parse_family_key(std::string_view bytes) {
  if (!bytes.starts_with(kFamilyPrefix)) return std::nullopt;
  Reader reader(bytes.substr(kFamilyPrefix.size()));
  const uint8_t kind = reader.u8();
  const std::string_view path = reader.bytes(reader.remaining());
  if (reader.failed() || !is_kind(kind) || path.empty() || path.size() > kNameBytesMax) return std::nullopt;
  return FamilyKey{std::string(path), static_cast<Kind>(kind)};
}

std::string encode_family_row(const FamilyRow& row) {
  std::string out;
  Writer writer(out);
  writer.u8(kVersion);
  put(writer, row.unit);
  put(writer, row.help);
  writer.u32be(checksum(row.key, out));
  return out;
}

Result<FamilyRow> decode_family_row(const FamilyKey& key, std::string_view bytes) {
  if (bytes.size() < kChecksumBytes + 1) return corrupt("too short");
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (Reader(bytes.substr(body.size())).u32be() != checksum(key, body)) return corrupt("checksum");
  Reader reader(body);
  if (reader.u8() != kVersion) return Error{ErrorCode::kVersion, "family row: unknown version"};
  FamilyRow row{key, read_text(reader), read_text(reader)};
  if (reader.failed() || !reader.done()) return corrupt("length");
  if (check_family(row.text()).is_refused()) return corrupt("a text that no line can have");
  return row;
}

}  // namespace statmill
