#include "storage/whole_row.h"

#include <limits>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "storage/keys.h"

namespace statmill {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kChecksumBytes = 4;
constexpr uint64_t kClassesMax = kGone;

uint32_t checksum(std::string_view body) { return crc32c(body, crc32c(kWholeKey)); }

Error corrupt(std::string_view what) { return {ErrorCode::kCorrupt, "row \"whole\": " + std::string(what)}; }

}  // namespace

bool has_globs_of(const WholeRow& row, const Retention& retention) {
  if (row.classes.size() != retention.class_count()) return false;
  for (size_t c = 1; c < row.classes.size(); ++c) {
    if (row.classes[c].glob != retention.glob(static_cast<RetentionClass>(c))) return false;
  }
  return true;
}

std::string encode_whole_row(const WholeRow& row) {
  SM_CHECK(!row.classes.empty() && row.classes.size() <= kClassesMax);
  std::string out;
  Writer writer(out);
  writer.u8(kVersion);
  writer.varint(row.classes.size());
  for (const WholeRow::Class& of : row.classes) {
    writer.varint(of.glob.size());
    writer.bytes(of.glob);
    writer.varint(of.whole_from);
  }
  writer.u32be(checksum(out));
  return out;
}

Result<WholeRow> decode_whole_row(std::string_view bytes) {
  if (bytes.size() < kChecksumBytes + 1) return corrupt("too short");
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (Reader(bytes.substr(body.size())).u32be() != checksum(body)) return corrupt("checksum");
  Reader reader(body);
  if (reader.u8() != kVersion) return Error{ErrorCode::kVersion, "row \"whole\": unknown version"};
  const uint64_t count = reader.varint();
  if (count == 0 || count > kClassesMax) return corrupt("number of classes");
  WholeRow row;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view glob = reader.bytes(reader.varint());
    const uint64_t whole_from = reader.varint();
    if (reader.failed()) return corrupt("cut short");
    if (glob.empty() != (i == 0)) return corrupt("a glob");
    if (whole_from > std::numeric_limits<ChunkNo>::max()) return corrupt("a chunk");
    row.classes.push_back({std::string(glob), static_cast<ChunkNo>(whole_from)});
  }
  if (!reader.done()) return corrupt("bytes left over");
  return row;
}

}  // namespace statmill
