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

// Returns the entry of one sample by encode_entry(), after checking that encode_short_entry() makes the same,
// or leaves it to that function and changes nothing.
std::string encoded_both_ways(const EntryReference& before, const SlotBucket& bucket) {
  EntryReference all = before;
  std::string want;
  encode_entry(want, all, bucket);
  EntryReference reference = before;
  const ShortEntry entry = encode_short_entry(reference, bucket);
  const bool is_short = entry.size > 0;
  EXPECT_EQ(is_short, (want[0] & 0x80) == 0 && want.size() <= sizeof(entry.bytes));
  if (is_short) {
    EXPECT_EQ(std::string(entry.text().data(), entry.size), want);
  }
  const EntryReference& next = is_short ? all : before;
  EXPECT_EQ(reference.slot, next.slot);
  EXPECT_EQ(reference.mean, next.mean);
  EXPECT_EQ(reference.scale, next.scale);
  return want;
}

TEST(ShortEntries, AreEncodedAsEntriesAre) {
  std::mt19937_64 random(2);
  std::vector<size_t> sizes(12);
  for (int i = 0; i < 20'000; ++i) {
    const auto mean = static_cast<int64_t>(random() % 2000) - 1000;
    const auto grown = static_cast<int64_t>(random() >> (5 + random() % 59));
    const EntryReference reference{100, mean, 2};
    const SlotBucket bucket{101, Bucket::of({random() % 2 == 0 ? mean + grown : mean - grown, 2})};
    ++sizes[encoded_both_ways(reference, bucket).size()];
  }
  for (size_t size = 1; size <= 9; ++size) EXPECT_GT(sizes[size], 100U) << size << " bytes";
}

TEST(ShortEntries, AreNotMadeOfOtherBuckets) {
  const EntryReference reference{100, 5, 2};
  Bucket two = Bucket::of({5, 2});
  two.add({5, 2});
  const SlotBucket others[] = {{100, Bucket::of({5, 2})},
                               {102, Bucket::of({5, 2})},
                               {101, Bucket::of({5, 1})},
                               {101, two},
                               {101, Bucket::of(Number::of(0.1))}};
  for (const SlotBucket& bucket : others) EXPECT_NE(encoded_both_ways(reference, bucket)[0] & 0x80, 0);
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
