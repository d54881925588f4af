// NameRow: the place of a name in a NameIndex, by which it is removed.
#pragma once

#include <compare>
#include <cstdint>

namespace statmill {

struct NameRow {
  uint32_t table = 0;
  uint32_t row = 0;
  friend auto operator<=>(const NameRow&, const NameRow&) = default;
};

}  // namespace statmill
