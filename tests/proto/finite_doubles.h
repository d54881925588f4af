// A generator of finite doubles for property tests.
#pragma once

#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace statmill {

// Generates doubles from random bits.
inline rc::Gen<double> finite_doubles() {
  return rc::gen::map(rc::gen::arbitrary<uint64_t>(), [](uint64_t bits) {
    const double value = std::bit_cast<double>(bits);
    return std::isfinite(value) ? value : std::bit_cast<double>(bits ^ uint64_t{1} << 62);
  });
}

}  // namespace statmill
