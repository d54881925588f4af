// The hash functions of the project: XXH3-64 for names, with a secret where strangers choose the names of a
// table, XXH3-128 where a hash replaces a name, CRC32C for stored bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace statmill {

// XXH3-64 with seed 0. The same on every host and in every release.
uint64_t hash_name(std::string_view name);

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Hash128&) const = default;
};

// Random bytes that nobody outside knows.
using HashSecret = std::array<uint8_t, 192>;

// A hash of names. With a secret, a sender cannot tell which names have equal hashes, or equal bits of them.
// Immutable; thread-safe.
class KeyedHash {
 public:
  KeyedHash() = default;  // hash_name()
  explicit KeyedHash(const HashSecret& secret) : secret_(secret), has_secret_(true) {}

  uint64_t operator()(std::string_view name) const;
  // XXH3-128 of the same. Among n texts, the chance that any two have one hash is n^2 / 2^129.
  Hash128 wide(std::string_view text) const;

 private:
  HashSecret secret_{};
  bool has_secret_ = false;
};

// For unordered containers: any of its bits are a hash.
struct HashOfHash128 {
  size_t operator()(const Hash128& hash) const { return hash.low; }
};
// XXH3-128. Among n names that were not chosen to collide, the chance of any collision is n^2 / 2^129.
Hash128 hash_name(std::string_view name, uint64_t seed);

// CRC32C (Castagnoli, RFC 3720 appendix B.4) of `bytes`, continued from `crc` (0 to start). Processes 8 bytes
// per instruction if the CPU has SSE 4.2, and uses a table otherwise; the results are equal.
uint32_t crc32c(std::string_view bytes, uint32_t crc = 0);

namespace internal {
uint32_t crc32c_table(std::string_view bytes, uint32_t crc);  // the portable implementation, for tests
}

}  // namespace statmill
