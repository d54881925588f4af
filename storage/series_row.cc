#include "storage/series_row.h"

#include "base/bytes.h"

namespace statmill {
namespace {

// The first byte of a row: the kind in the low bits, a bit for detailed series, the joined power above them;
// or kDeleted alone.
constexpr uint8_t kDeleted = 0xff;
constexpr uint8_t kKindMask = 0x07;
constexpr uint8_t kDetailed = 0x08;
constexpr int kJoinedPowerShift = 4;

}  // namespace

std::string encode_series_row(const SeriesRow& series) {
  std::string row;
  Writer out(row);
  out.u8(static_cast<uint8_t>(static_cast<uint8_t>(series.kind) | (series.is_detailed ? kDetailed : 0) |
                              series.joined_power << kJoinedPowerShift));
  out.bytes(series.name);
  return row;
}

std::string encode_deleted_series() { return {static_cast<char>(kDeleted)}; }

bool is_deleted_series(std::string_view row) { return row == encode_deleted_series(); }

std::optional<SeriesRow> decode_series_row(SeriesId id, std::string_view row) {
  Reader in(row);
  const uint8_t first = in.u8();
  const auto kind = static_cast<uint8_t>(first & kKindMask);
  const auto joined_power = static_cast<uint8_t>(first >> kJoinedPowerShift);
  const std::string_view name = in.bytes(in.remaining());
  if (in.failed() || name.empty() || !is_kind(kind) || joined_power > kSentJoinedPowerMax)
    return std::nullopt;
  return SeriesRow{id, static_cast<Kind>(kind), std::string(name), joined_power, (first & kDetailed) != 0};
}

}  // namespace statmill
