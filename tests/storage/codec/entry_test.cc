#include "storage/codec/entry.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

namespace statmill {
namespace {

// Entries of one byte, of two, longer ones and damaged ones, so that rows begin and end at each of them.
std::string random_entries(std::mt19937_64& random) {
  std::string out;
  for (size_t left = random() % 40; left > 0; --left) {
    const auto byte = static_cast<uint8_t>(random());
    out.push_back(static_cast<char>(random() % 16 == 0 ? byte : byte & 0x7f));
  }
  return out;
}

TEST(ShortEntries, AreThoseThatStepOverFinds) {
  std::mt19937_64 random(1);
  size_t read = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string bytes = random_entries(random);
    std::vector<int64_t> got(random() % 30);
    Reader one(bytes);
    EntryReference step{1'000, static_cast<int64_t>(random() % 1000), 2};
    Reader many(bytes);
    EntryReference row = step;
    std::vector<int64_t> want;
    while (want.size() < got.size() && step_over_short_entry(one, step)) want.push_back(step.mean);
    got.resize(read_short_entries(many, row, got));
    read += got.size();
    ASSERT_EQ(got, want);
    ASSERT_EQ(many.rest().size(), one.rest().size());
    ASSERT_EQ(row.slot, step.slot);
    ASSERT_EQ(row.mean, step.mean);
    ASSERT_EQ(row.scale, step.scale);
  }
  EXPECT_GT(read, 20'000U);
}

TEST(ShortEntries, SlotsDoNotOverflow) {
  const std::string bytes(8, '\x02');
  std::vector<int64_t> means(8);
  Reader in(bytes);
  EntryReference reference{std::numeric_limits<Slot>::max() - 7, 0, 0};
  EXPECT_EQ(read_short_entries(in, reference, means), 0U);
  EXPECT_EQ(in.rest().size(), bytes.size());
}

}  // namespace
}  // namespace statmill
