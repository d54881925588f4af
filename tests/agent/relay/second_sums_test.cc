#include "agent/relay/second_sums.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_set>
#include <vector>

#include "tests/support/colliding_names.h"

namespace statmill {
namespace {

// The share of the keys that have the low bits of their hash, which choose a slot, for themselves.
double share_alone(const std::vector<uint64_t>& hashes) {
  std::unordered_set<uint64_t> slots;
  for (const uint64_t hash : hashes) slots.insert(hash & ((uint64_t{1} << 24) - 1));
  return static_cast<double>(slots.size()) / static_cast<double>(hashes.size());
}

// Whatever a sender may put into a line: otherwise a few megabytes of lines cost seconds.
TEST(SecondSums, KeysThatShareBitsDoNotCollide) {
  constexpr int64_t kKeys = 50'000;
  std::vector<uint64_t> high_bits_of_times;
  std::vector<uint64_t> low_bits_of_times;
  std::vector<uint64_t> names;
  for (int64_t i = 0; i < kKeys; ++i) {
    high_bits_of_times.push_back(SecondSums::hash_of("x", Kind::kEvent, i << 20));
    low_bits_of_times.push_back(SecondSums::hash_of("x", Kind::kEvent, 1'700'000'000 + i));
    names.push_back(SecondSums::hash_of("x" + std::to_string(i << 20), Kind::kEvent, 1'700'000'000));
  }
  EXPECT_GT(share_alone(high_bits_of_times), 0.99);
  EXPECT_GT(share_alone(low_bits_of_times), 0.99);
  EXPECT_GT(share_alone(names), 0.99);
}

TEST(SecondSums, NamesMadeToCollideDoNot) {
  std::vector<uint64_t> hashes;
  for (const std::string& name : colliding_names(20'000))
    hashes.push_back(SecondSums::hash_of(name, Kind::kEvent, 1'700'000'000));
  EXPECT_GT(share_alone(hashes), 0.99);
}

TEST(SecondSums, HashesDependOnEachPartOfTheKey) {
  const uint64_t hash = SecondSums::hash_of("x", Kind::kEvent, 7);
  EXPECT_EQ(SecondSums::hash_of("x", Kind::kEvent, 7), hash);
  EXPECT_NE(SecondSums::hash_of("y", Kind::kEvent, 7), hash);
  EXPECT_NE(SecondSums::hash_of("x", Kind::kCounter, 7), hash);
  EXPECT_NE(SecondSums::hash_of("x", Kind::kEvent, 8), hash);
}

}  // namespace
}  // namespace statmill
