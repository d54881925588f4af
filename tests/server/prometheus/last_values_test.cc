#include "server/prometheus/last_values.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

namespace statmill {
namespace {

LastValue named(uint64_t low, int64_t time_ms) { return {{low, 1}, {}, time_ms, 0, 0, false}; }

// Names that start at few places of the index, so that runs of it are long.
RC_GTEST_PROP(LastValueTable, IsAMapWhosePlacesStay, ()) {
  LastValueTable table;
  std::map<uint64_t, std::pair<LastValueTable::Place, int64_t>> wanted;
  for (int i = *rc::gen::inRange(0, 400); i > 0; --i) {
    const uint64_t low = *rc::gen::inRange<uint64_t>(0, 8) + 64 * *rc::gen::inRange<uint64_t>(0, 40);
    const auto place = table.find({low, 1});
    const auto known = wanted.find(low);
    RC_ASSERT((place == LastValueTable::kNone) == (known == wanted.end()));
    if (known == wanted.end()) {
      wanted[low] = {table.insert(named(low, i)), i};
    } else if (i % 2 == 0) {
      RC_ASSERT(place == known->second.first);
      table.erase(place);
      wanted.erase(known);
    }
    RC_ASSERT(table.size() == wanted.size());
  }
  for (const auto& [low, at] : wanted) {
    RC_ASSERT(table.find({low, 1}) == at.first);
    RC_ASSERT(table.is_used(at.first));
    RC_ASSERT(table.at(at.first) == named(low, at.second));
  }
  RC_ASSERT(table.find({3, 2}) == LastValueTable::kNone);
}

TEST(LastValueTable, UsesPlacesAgain) {
  LastValueTable table;
  for (uint64_t round = 0; round < 100; ++round) {
    for (uint64_t i = 0; i < 100; ++i) table.insert(named(round * 1000 + i, 0));
    for (uint64_t i = 0; i < 100; ++i) table.erase(table.find({round * 1000 + i, 1}));
  }
  EXPECT_EQ(table.places(), 100U);
  EXPECT_EQ(table.size(), 0U);
}

}  // namespace
}  // namespace statmill
