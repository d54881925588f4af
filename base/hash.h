// The hashes of the project: XXH3-64 for names (stable: shards depend on it), XXH3-128 where a hash stands
// for its name, CRC32C for stored bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace statmill {

// XXH3-64 with seed 0: the same on every host and in every release.
uint64_t hash_name(std::string_view name);
// The same for containers of strings that are asked by views.
struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return hash_name(name); }
};

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Hash128&) const = default;
};
// XXH3-128. Different names have different ones, but for a chance of n^2 / 2^129 among n names that nobody
// chose for it.
Hash128 hash_name(std::string_view name, uint64_t seed);

// CRC32C (Castagnoli, RFC 3720 appendix B.4) of `bytes`, continued from `crc` (0 to start).
// One instruction per 8 bytes where the CPU has it (SSE 4.2), a table elsewhere; equal results.
uint32_t crc32c(std::string_view bytes, uint32_t crc = 0);

namespace internal {
uint32_t crc32c_table(std::string_view bytes, uint32_t crc);  // the portable road, for tests
}

}  // namespace statmill
