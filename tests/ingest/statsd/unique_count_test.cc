// Small counts are exact; larger ones have the error of a HyperLogLog with 2^12 registers.
#include "ingest/statsd/unique_count.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/hash.h"

namespace statmill {
namespace {

uint64_t hash_of(uint64_t set, uint64_t member) {
  return hash_name(std::to_string(set) + "/" + std::to_string(member));
}

TEST(UniqueCount, IsExactUpToItsLimitDespiteRepetitions) {
  UniqueCount count;
  EXPECT_EQ(count.count(), 0U);
  for (int round = 0; round < 3; ++round) {
    for (uint64_t i = 0; i < UniqueCount::kExactMax; ++i) {
      count.add(hash_of(0, i * 7919 % UniqueCount::kExactMax));
      if (round == 0) {
        ASSERT_EQ(count.count(), i + 1);
      }
    }
  }
  EXPECT_EQ(count.count(), UniqueCount::kExactMax);
  EXPECT_TRUE(count.is_exact());
  count.add(hash_of(0, UniqueCount::kExactMax));
  EXPECT_FALSE(count.is_exact());
}

TEST(UniqueCount, RepetitionsDoNotChangeTheEstimate) {
  UniqueCount once;
  UniqueCount twice;
  for (uint64_t i = 0; i < 20'000; ++i) once.add(hash_of(0, i));
  for (uint64_t i = 0; i < 40'000; ++i) twice.add(hash_of(0, (40'000 - i) % 20'000));
  EXPECT_EQ(once.count(), twice.count()) << "the order does not matter";
}

// Over many sets, the errors have the stated deviation and a mean of zero.
TEST(UniqueCount, HasTheStatedErrorAndNoBias) {
  constexpr uint64_t kSets = 40;
  for (const uint64_t size : {1025U, 3000U, 10'000U, 50'000U}) {
    double sum = 0;
    double squares = 0;
    for (uint64_t set = 0; set < kSets; ++set) {
      UniqueCount count;
      for (uint64_t i = 0; i < size; ++i) count.add(hash_of(set, i));
      const double error = static_cast<double>(count.count()) / static_cast<double>(size) - 1;
      sum += error;
      squares += error * error;
    }
    EXPECT_LT(std::sqrt(squares / kSets), 1.2 * UniqueCount::kStandardError) << size;
    EXPECT_LT(std::abs(sum / kSets), 3 * UniqueCount::kStandardError / std::sqrt(kSets)) << size;
  }
}

}  // namespace
}  // namespace statmill
