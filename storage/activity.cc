#include "storage/activity.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"

namespace statmill {
namespace {
constexpr uint8_t kVersion = 1;
constexpr size_t kChecksumBytes = 4;
constexpr size_t kEntryBytesMin = 3;
}  // namespace

std::string encode_activity(std::vector<SeriesActivity> series) {
  std::sort(series.begin(), series.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  std::string out;
  Writer writer(out);
  writer.u8(kVersion);
  writer.varint(series.size());
  SeriesActivity previous;
  for (const SeriesActivity& s : series) {
    writer.varint(s.id - previous.id);
    writer.svarint(s.first_slot - previous.first_slot);
    writer.varint(static_cast<uint64_t>(s.last_slot - s.first_slot));
    previous = s;
  }
  writer.u32be(crc32c(out));
  return out;
}

Result<std::vector<SeriesActivity>> decode_activity(std::string_view bytes) {
  std::vector<SeriesActivity> out;
  if (bytes.empty()) return out;
  if (bytes.size() < kChecksumBytes + 1) return Error{ErrorCode::kCorrupt, "activity: too short"};
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (Reader(bytes.substr(body.size())).u32be() != crc32c(body))
    return Error{ErrorCode::kCorrupt, "activity: checksum"};
  Reader reader(body);
  if (reader.u8() != kVersion) return Error{ErrorCode::kVersion, "activity: unknown version"};
  const uint64_t count = reader.varint();
  if (count > reader.remaining() / kEntryBytesMin) return Error{ErrorCode::kCorrupt, "activity: count"};
  out.reserve(count);
  SeriesActivity previous;
  for (uint64_t i = 0; i < count; ++i) {
    SeriesActivity s;
    s.id = previous.id + static_cast<SeriesId>(reader.varint());
    s.first_slot = previous.first_slot + reader.svarint();
    s.last_slot = s.first_slot + static_cast<Slot>(reader.varint());
    previous = s;
    out.push_back(s);
  }
  if (reader.failed() || !reader.done()) return Error{ErrorCode::kCorrupt, "activity: length"};
  return out;
}

}  // namespace statmill
