// Secrets of hashes, for tests.
#pragma once

#include <random>

#include "base/hash.h"

namespace statmill {

inline HashSecret secret_of(uint64_t seed) {
  std::mt19937_64 random(seed);
  HashSecret secret;
  for (uint8_t& byte : secret) byte = static_cast<uint8_t>(random());
  return secret;
}

}  // namespace statmill
