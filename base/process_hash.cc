#include "base/process_hash.h"

#include <random>

namespace statmill {

HashSecret random_secret() {
  std::random_device random;
  HashSecret secret;
  for (uint8_t& byte : secret) byte = static_cast<uint8_t>(random());
  return secret;
}

const KeyedHash& process_hash() {
  static const KeyedHash hash(random_secret());
  return hash;
}

}  // namespace statmill
