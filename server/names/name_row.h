// NameRow: the place of a name in a NameIndex, by which it is removed.
#pragma once

#include <compare>
#include <cstdint>

namespace statmill {

struct NameRow {
  static constexpr uint32_t kNoTable = 0xfffffffd;  // no index has a table of this number

  uint32_t table = kNoTable;
  uint32_t row = 0;
  bool is_indexed() const { return table != kNoTable; }
  friend auto operator<=>(const NameRow&, const NameRow&) = default;
};

}  // namespace statmill
