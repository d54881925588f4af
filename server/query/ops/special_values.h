// The doubles that are no finite number.
#pragma once

#include <limits>

namespace statmill {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace statmill
