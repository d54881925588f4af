#include "storage/exemplar_row.h"

#include <cmath>
#include <tuple>

#include "base/bytes.h"
#include "base/hash.h"
#include "proto/exemplar.h"

namespace statmill {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kKeyBytes = 12;
constexpr size_t kChecksumBytes = 4;

uint32_t checksum(const ExemplarKey& key, std::string_view body) {
  return crc32c(body, crc32c(exemplar_key(key)));
}

Error corrupt(std::string_view what) { return {ErrorCode::kCorrupt, "exemplar row: " + std::string(what)}; }

}  // namespace

bool is_larger(const ExemplarRow& a, const ExemplarRow& b) {
  return std::tie(a.value, a.time_ms, a.labels) > std::tie(b.value, b.time_ms, b.labels);
}

std::string exemplar_key(const ExemplarKey& key) {
  std::string out;
  Writer writer(out);
  writer.u32be(key.id);
  writer.u64be(static_cast<uint64_t>(key.slot));
  return out;
}

std::optional<ExemplarKey> parse_exemplar_key(std::string_view bytes) {
  if (bytes.size() != kKeyBytes) return std::nullopt;
  Reader reader(bytes);
  const SeriesId id = reader.u32be();
  const auto slot = static_cast<Slot>(reader.u64be());
  return slot < 0 ? std::nullopt : std::optional(ExemplarKey{id, slot});
}

std::string encode_exemplar_row(const ExemplarRow& row) {
  std::string out;
  Writer writer(out);
  writer.u8(kVersion);
  writer.f64(row.value);
  writer.svarint(row.time_ms);
  writer.bytes(row.labels);
  writer.u32be(checksum(row.key, out));
  return out;
}

Result<ExemplarRow> decode_exemplar_row(const ExemplarKey& key, std::string_view bytes) {
  if (bytes.size() < kChecksumBytes + 1) return corrupt("too short");
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (Reader(bytes.substr(body.size())).u32be() != checksum(key, body)) return corrupt("checksum");
  Reader reader(body);
  if (reader.u8() != kVersion) return Error{ErrorCode::kVersion, "exemplar row: unknown version"};
  ExemplarRow row{key, reader.f64(), reader.svarint(), {}};
  if (reader.failed() || !std::isfinite(row.value)) return corrupt("value");
  row.labels = std::string(reader.rest());
  if (!decode_exemplar_labels(row.labels)) return corrupt("labels");
  return row;
}

}  // namespace statmill
