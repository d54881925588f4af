// UniqueCount: how many different things were added, each known by a 64-bit hash.
//
// Exact up to kExactMax; beyond, a HyperLogLog of 2^12 registers (Flajolet and others, 2007) with the
// estimator of Ertl (2017), which has no bias at any size: standard error 1.04 / sqrt(2^12) = 1.6 %. 8 KiB at
// most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace statmill {

class UniqueCount {
 public:
  static constexpr size_t kExactMax = 1024;
  static constexpr int kRegisterBits = 12;
  static constexpr size_t kRegisters = size_t{1} << kRegisterBits;
  static constexpr double kStandardError = 0.01625;  // beyond kExactMax, relative

  // Of a good hash: all bits count. O(kExactMax) moved bytes at worst while exact, O(1) beyond.
  void add(uint64_t hash);
  // O(kRegisters) beyond kExactMax.
  uint64_t count() const;
  bool is_exact() const { return registers_.empty(); }

 private:
  void note(uint64_t hash);

  std::vector<uint64_t> hashes_;    // ascending, each once; empty once there are registers
  std::vector<uint8_t> registers_;  // the longest run of leading zeros seen, plus one; or none
};

}  // namespace statmill
