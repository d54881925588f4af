// ClockRow: what a server keeps over its end of how far its wall clock can be trusted
// (server/tick/clock_guard.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace statmill {

struct ClockRow {
  Timestamp passed;     // the time that retention goes by
  Duration ahead{};     // by how much the wall clock is ahead of that; negative: behind
  Duration standing{};  // for how long it has been so

  bool operator==(const ClockRow&) const = default;
};

inline constexpr size_t kClockRowBytes = 24;
std::string encode_clock_row(const ClockRow& row);
std::optional<ClockRow> decode_clock_row(std::string_view bytes);  // none: it has not the right size

}  // namespace statmill
