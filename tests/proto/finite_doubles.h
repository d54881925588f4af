// Finite doubles for tests, generated.
#pragma once

#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace statmill {

// Any finite double: its bits are any.
inline rc::Gen<double> finite_doubles() {
  return rc::gen::map(rc::gen::arbitrary<uint64_t>(), [](uint64_t bits) {
    const double value = std::bit_cast<double>(bits);
    return std::isfinite(value) ? value : std::bit_cast<double>(bits ^ uint64_t{1} << 62);
  });
}

}  // namespace statmill
