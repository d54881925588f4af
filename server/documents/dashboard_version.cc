#include "server/documents/dashboard_version.h"

#include <utility>

#include "base/bytes.h"
#include "base/hash.h"

namespace statmill {
namespace {

constexpr uint8_t kDeleted = 1;
constexpr size_t kVersionBytes = 4;

void put(Writer& writer, std::string_view text) {
  writer.varint(text.size());
  writer.bytes(text);
}
std::string read_text(Reader& reader) { return std::string(reader.bytes(reader.varint())); }

Error corrupt(std::string_view what) { return {ErrorCode::kCorrupt, "dashboard: " + std::string(what)}; }

}  // namespace

std::string dashboard_etag(uint32_t version, std::string_view text) {
  std::string etag = "\"" + std::to_string(version) + "-";
  const uint64_t hash = hash_name(text);
  for (int shift = 28; shift >= 0; shift -= 4) etag += "0123456789abcdef"[hash >> shift & 15];
  return etag + "\"";
}

std::string DashboardVersion::etag() const { return dashboard_etag(version, *text); }

DocumentKey dashboard_key(std::string_view id, uint32_t version) {
  DocumentKey key{DocumentKind::kDashboard, std::string(id)};
  key.id.push_back('\0');
  Writer(key.id).u32be(version);
  return key;
}

DocumentRow dashboard_row(std::string_view id, const DashboardVersion& version) {
  DocumentRow row{dashboard_key(id, version.version), version.changed, {}};
  Writer writer(row.body);
  writer.u8(version.is_deleted ? kDeleted : 0);
  put(writer, version.by);
  put(writer, version.note);
  writer.bytes(*version.text);
  return row;
}

Result<DashboardRow> dashboard_of(const DocumentRow& row) {
  const std::string_view key = row.key.id;
  if (key.size() < kVersionBytes + 2 || key[key.size() - kVersionBytes - 1] != '\0') return corrupt("key");
  DashboardRow out{std::string(key.substr(0, key.size() - kVersionBytes - 1)), {}};
  if (!is_dashboard_id(out.id)) return corrupt("id");
  DashboardVersion& version = out.version;
  version.version = Reader(key.substr(key.size() - kVersionBytes)).u32be();
  version.changed = row.time;
  Reader reader(row.body);
  const uint8_t flags = reader.u8();
  version.is_deleted = flags == kDeleted;
  version.by = read_text(reader);
  version.note = read_text(reader);
  if (reader.failed() || flags > kDeleted || version.version == 0) return corrupt("an impossible row");
  version.text = std::make_shared<const std::string>(reader.rest());
  if (version.is_deleted && !version.text->empty()) return corrupt("deleted with a text");
  if (version.is_deleted) return out;
  // Another release may have saved what this one would refuse.
  version.summary = check_dashboard(*version.text).summary;
  return out;
}

}  // namespace statmill
