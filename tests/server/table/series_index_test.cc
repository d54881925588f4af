// The series of a shard against a plain set of names that are added, become idle, are removed and added
// again.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "base/hash.h"
#include "server/table/shard.h"
#include "tests/support/secrets.h"

namespace statmill {
namespace {

// Searches for many of these names start at the same entry, some of them at the last entries of the table.
RC_GTEST_PROP(SeriesIndex, FindsExactlyTheNamesInIt, ()) {
  const auto steps =
      *rc::gen::resize(200, rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange<uint32_t>(0, 60)));
  const auto seed = *rc::gen::arbitrary<uint8_t>();
  const KeyedHash hash_of = seed == 0 ? KeyedHash() : KeyedHash(secret_of(seed));
  Shard shard;
  const MutexLock lock(shard.mutex);
  SeriesArena arena;
  NameIndex names_of_idle;
  shard.names = std::shared_ptr<const NameIndex>(&names_of_idle, [](const NameIndex*) {});
  std::set<std::string> in;
  std::vector<std::string> names;
  for (uint32_t i = 0; i < 60; ++i) names.push_back("n" + std::to_string(i));
  for (const uint32_t step : steps) {
    const std::string& name = names[step];
    const uint64_t hash = hash_of(name);
    if (in.insert(name).second) {
      const SeriesArena::Number number = arena.add(name);
      RC_ASSERT(arena[number].pending.is_empty() && arena[number].id == 0);
      arena[number].id = step;
      arena[number].pending.add({1, Bucket::of({7, 0})}, Combine::kMerge, nullptr);
      shard.index.insert(hash, SeriesPlace::awake(number));
    } else if (const SeriesPlace place = shard.find(hash, name, arena); place.is_awake() && step % 2 == 0) {
      const IdlePool::Number idle = shard.idle.add();
      shard.idle[idle].id = step;
      shard.idle[idle].row = names_of_idle.add(name);
      shard.index.replace(hash, place, SeriesPlace::idle(idle));
      arena.remove(place.number());
    } else {
      shard.index.erase(hash, place);
      RC_ASSERT((place.is_idle() ? shard.idle[place.number()].id : arena[place.number()].id) == step);
      place.is_idle() ? shard.idle.remove(place.number()) : arena.remove(place.number());
      in.erase(name);
    }
    bool is_right = true;
    for (uint32_t i = 0; i < names.size(); ++i) {
      const SeriesPlace found = shard.find(hash_of(names[i]), names[i], arena);
      is_right &= found.is_none()
                      ? !in.contains(names[i])
                      : (found.is_idle() ? shard.idle[found.number()].id : arena[found.number()].id) == i;
    }
    RC_ASSERT(is_right);
    std::multiset<std::string> all;
    for (const Series* series : shard.index.awake(arena)) all.emplace(series->name());
    shard.idle.for_each([&](const IdleSeries& series) { all.insert(names_of_idle.name(series.row)); });
    RC_ASSERT(all == std::multiset<std::string>(in.begin(), in.end()));
  }
}

TEST(SeriesIndex, ShrinksWhenNamesAreErased) {
  SeriesIndex index;
  const KeyedHash hash_of;
  const auto hash = [&](uint32_t i) { return hash_of("n" + std::to_string(i)); };
  const auto add = [&](uint32_t i) { index.insert(hash(i), SeriesPlace::awake(i)); };
  for (uint32_t i = 1; i < 11; ++i) add(i);
  const size_t bytes = index.ram_bytes();
  for (uint32_t i = 11; i < 10'000; ++i) add(i);
  EXPECT_GT(index.ram_bytes(), 100 * bytes);
  for (uint32_t i = 11; i < 10'000; ++i) index.erase(hash(i), SeriesPlace::awake(i));
  EXPECT_LE(index.ram_bytes(), 4 * bytes);
  for (uint32_t i = 1; i < 11; ++i) EXPECT_EQ(index.guess(hash(i)), SeriesPlace::awake(i));
}

TEST(SeriesArena, GoesThroughAllSeriesByNumber) {
  SeriesArena arena;
  EXPECT_EQ(arena.first(), 0U);
  std::vector<SeriesArena::Number> want;
  for (size_t i = 0; i < 5000; ++i) want.push_back(arena.add(std::string(i * 7 % kNameBytesMax, 'x')));
  for (size_t i = 0; i < want.size(); i += 3) arena.remove(want[i]);
  std::vector<SeriesArena::Number> found;
  for (SeriesArena::Number n = arena.first(); n != 0; n = arena.after(n)) found.push_back(n);
  EXPECT_EQ(found, want);
}

// Names of all lengths, many more than fit in a chunk.
TEST(SeriesArena, NeverMovesASeries) {
  SeriesArena arena;
  std::vector<const Series*> where;
  const auto name_of = [](size_t i) {
    return std::string(1 + i * 7 % kNameBytesMax, static_cast<char>('a' + i % 26));
  };
  constexpr size_t kCount = 5000;
  std::vector<SeriesArena::Number> numbers;
  for (size_t i = 0; i < kCount; ++i) {
    numbers.push_back(arena.add(name_of(i)));
    Series& made = arena[numbers.back()];
    made.id = static_cast<SeriesId>(i);
    made.include_slot(static_cast<Slot>(i));
    where.push_back(&made);
  }
  for (size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(&arena[numbers[i]], where[i]);
    ASSERT_EQ(where[i]->name(), name_of(i));
    ASSERT_EQ(where[i]->id, i);
    ASSERT_EQ(where[i]->last_slot, static_cast<Slot>(i));
  }
}

TEST(SeriesArena, ReusesTheLinesOfARemovedSeries) {
  SeriesArena arena;
  const SeriesArena::Number first = arena.add("first");
  const SeriesArena::Number longer = arena.add(std::string(100, 'x'));
  arena[first].include_slot(5);
  arena.remove(first);
  arena.remove(longer);
  EXPECT_EQ(arena.add(std::string(90, 'y')), longer);
  EXPECT_EQ(arena.add("other"), first);
  EXPECT_EQ(arena[first].name(), "other");
  EXPECT_EQ(arena[first].last_slot, Series::kNoSlot) << "as new";
  EXPECT_NE(arena.add("third"), first);
}

}  // namespace
}  // namespace statmill
