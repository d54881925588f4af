// Points in time and durations that tests share, in seconds.
#pragma once

#include <cstdint>

namespace statmill {

inline constexpr int64_t kHour = 3600;
inline constexpr int64_t kDay = 24 * kHour;

inline constexpr int64_t kNow = 1'700'000'000;  // since 1970
inline constexpr int64_t kStart =
    1'700'006'400;  // since 1970; a multiple of six hours: the first slot of a chunk

}  // namespace statmill
