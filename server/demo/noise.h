// Noise: numbers that look random and are a function of a key and a position, so that any part of a curve can
// be computed alone.
#pragma once

#include <cstdint>

namespace statmill {

// The finalizer of SplitMix64: each bit of the result depends on each bit of `x`.
constexpr uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Returns a number in [0, 1) that is independent at each position.
constexpr double white_noise(uint64_t key, int64_t position) {
  return static_cast<double>(mixed(key ^ mixed(static_cast<uint64_t>(position))) >> 11) * 0x1p-53;
}

// Returns a number in [0, 1) that moves smoothly from one independent value to the next within `period`
// positions. Requires: position >= 0, period > 0.
constexpr double smooth_noise(uint64_t key, int64_t position, int64_t period) {
  const int64_t step = position / period;
  const double part = static_cast<double>(position % period) / static_cast<double>(period);
  const double eased = part * part * (3 - 2 * part);
  const double from = white_noise(key, step);
  return from + (white_noise(key, step + 1) - from) * eased;
}

}  // namespace statmill
