// UniqueCount: counts distinct items, each represented by a 64-bit hash.
//
// The count is exact up to kExactMax. Beyond, it is a HyperLogLog of 2^12 registers (Flajolet and others,
// 2007) with the estimator of Ertl (2017), which has no bias at any size: standard error 1.04 /
// sqrt(2^12) = 1.6 %. Uses at most 8 KiB.
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
  static constexpr double kStandardError = 0.01625;  // relative, beyond kExactMax

  // Requires a good hash: all bits count. Cost: moves at most kExactMax hashes while exact, O(1) beyond.
  void add(uint64_t hash);
  // Cost: O(1) while exact, O(kRegisters) beyond.
  uint64_t count() const;
  bool is_exact() const { return registers_.empty(); }

 private:
  void note(uint64_t hash);

  std::vector<uint64_t> hashes_;    // sorted, without duplicates; empty if there are registers
  std::vector<uint8_t> registers_;  // the longest run of leading zeros seen, plus one; empty while exact
};

}  // namespace statmill
