// SeriesForm: how the answer of a query says which series it has.
#pragma once

#include <cstdint>

namespace statmill {

enum class SeriesForm : uint8_t {
  kName,    // "cpu.idle;host=a", for a query by names
  kLabels,  // the labels, for a query by an expression
};

}  // namespace statmill
