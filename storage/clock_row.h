// ClockRow: what a server remembers across restarts about how far its wall clock can be trusted
// (server/tick/clock_guard.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace statmill {

struct ClockRow {
  Timestamp counted;     // when the wall clock was last right, plus the time elapsed since
  Duration ahead{};      // how far the wall clock is ahead of `counted`; negative if it is slow
  Duration persisted{};  // how long the difference has persisted
  Duration slow_by{};    // by how much the wall clock was slow, at most, since it was last trusted
  Duration slow_for{};   // for how long it was slow

  bool operator==(const ClockRow&) const = default;
};

inline constexpr size_t kClockRowBytes = 40;
std::string encode_clock_row(const ClockRow& row);
std::optional<ClockRow> decode_clock_row(std::string_view bytes);  // nullopt if the size is wrong

}  // namespace statmill
