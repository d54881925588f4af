// The seeds of tests that kill processes while the network is bad.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string_view>
#include <vector>

namespace statmill {

// Returns `usual` random seeds, or `nightly` with SM_TIER=nightly. CHAOS_SEEDS=n makes it n, CHAOS_SEED=n
// only that seed.
inline std::vector<uint64_t> chaos_seeds(size_t usual, size_t nightly) {
  if (const char* wanted = std::getenv("CHAOS_SEED")) return {std::strtoull(wanted, nullptr, 10)};
  const char* count = std::getenv("CHAOS_SEEDS");
  const char* tier = std::getenv("SM_TIER");
  const bool is_nightly = tier != nullptr && std::string_view(tier) == "nightly";
  std::random_device device;
  std::vector<uint64_t> out(count != nullptr ? std::strtoull(count, nullptr, 10)
                                             : (is_nightly ? nightly : usual));
  for (uint64_t& seed : out) seed = device();
  return out;
}

}  // namespace statmill
