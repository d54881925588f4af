#include "storage/clock_row.h"

#include "base/bytes.h"

namespace statmill {
namespace {

uint64_t bits(Duration d) { return static_cast<uint64_t>(d.count()); }
Duration duration(uint64_t bits) { return Duration(static_cast<int64_t>(bits)); }

}  // namespace

std::string encode_clock_row(const ClockRow& row) {
  std::string bytes;
  Writer out(bytes);
  out.u64be(bits(row.counted.time_since_epoch()));
  out.u64be(bits(row.ahead));
  out.u64be(bits(row.persisted));
  out.u64be(bits(row.slow_by));
  out.u64be(bits(row.slow_for));
  return bytes;
}

std::optional<ClockRow> decode_clock_row(std::string_view bytes) {
  Reader in(bytes);
  ClockRow row;
  row.counted = Timestamp(duration(in.u64be()));
  row.ahead = duration(in.u64be());
  row.persisted = duration(in.u64be());
  row.slow_by = duration(in.u64be());
  row.slow_for = duration(in.u64be());
  if (in.failed() || !in.done()) return std::nullopt;
  return row;
}

}  // namespace statmill
