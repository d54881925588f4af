#include "server/prometheus/last_values.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>

namespace statmill {
namespace {

// Some have what few series have.
LastValue named(uint64_t low, int64_t time_ms) {
  LastValue out{{low, 1}, {}, time_ms, 0, time_ms, time_ms % 2 == 0};
  out.value = {-3 * time_ms, static_cast<int8_t>(time_ms % 20 - 1)};
  if (time_ms % 3 == 1) out.start_ms = -time_ms;
  if (time_ms % 5 == 1) out.time_ns = 999'999;
  if (time_ms % 7 == 1)
    out.histogram = std::make_shared<const std::string>(static_cast<size_t>(time_ms), 'h');
  return out;
}

// Names that start at few places of the index, so that runs of it are long.
RC_GTEST_PROP(LastValueTable, IsAMapWhosePlacesStay, ()) {
  LastValueTable table;
  std::map<uint64_t, std::pair<LastValueTable::Place, int64_t>> wanted;
  size_t histogram_bytes = 0;
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
    } else if (i % 4 == 1) {
      table.set(place, named(low, i));
      known->second.second = i;
    }
    RC_ASSERT(table.size() == wanted.size());
  }
  for (const auto& [low, at] : wanted) {
    RC_ASSERT(table.find({low, 1}) == at.first);
    RC_ASSERT(table.is_used(at.first));
    RC_ASSERT(table.at(at.first) == named(low, at.second));
    histogram_bytes += named(low, at.second).histogram_bytes();
  }
  RC_ASSERT(table.histogram_bytes() == histogram_bytes);
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

TEST(LastValueTable, ATimeBeyondItsRangeIsItsEnd) {
  LastValueTable table;
  const auto place = table.insert(named(1, INT64_MAX));
  EXPECT_EQ(table.at(place).time_ms, (int64_t{1} << 47) - 1);
  table.set(place, named(1, INT64_MIN + 1));
  EXPECT_EQ(table.at(place).time_ms, -(int64_t{1} << 47));
  EXPECT_EQ(table.at(place).seen_s, 0);
  table.set(place, named(1, -5));
  EXPECT_EQ(table.at(place).time_ms, -5);
}

// Labels of few hashes, so that entries take them from each other, in long runs of the index.
RC_GTEST_PROP(LastValueTable, FindsTheEntryThatHadLabelsLast, ()) {
  LastValueTable table;
  std::map<uint64_t, LastValueTable::Place> wanted;  // by labels
  std::map<LastValueTable::Place, uint64_t> labels_of;
  for (int i = *rc::gen::inRange(0, 400); i > 0; --i) {
    const uint64_t low = *rc::gen::inRange<uint64_t>(0, 60);
    const uint64_t labels = *rc::gen::inRange<uint64_t>(0, 4) + 64 * *rc::gen::inRange<uint64_t>(0, 20);
    auto place = table.find({low, 1});
    const auto forget = [&](LastValueTable::Place of) {
      if (labels_of.count(of) != 0) wanted.erase(labels_of[of]);
      labels_of.erase(of);
    };
    if (place == LastValueTable::kNone) place = table.insert(named(low, i));
    switch (i % 4) {
      case 0:
        forget(place);
        table.erase(place);
        break;
      case 1:
        forget(place);
        table.set_labels(place, LastValueTable::kNoLabels);
        break;
      default:
        forget(place);
        if (wanted.count(labels) != 0) forget(wanted[labels]);
        wanted[labels] = place;
        labels_of[place] = labels;
        table.set_labels(place, {labels, 2}, {static_cast<uint32_t>(labels) + 1});
        RC_ASSERT(table.has_labels(place, {labels, 2}));
    }
    RC_ASSERT(table.find_labels({labels, 2}) ==
              (wanted.count(labels) == 0 ? LastValueTable::kNone : wanted[labels]));
  }
  for (const auto& [labels, place] : wanted) {
    RC_ASSERT(table.find_labels({labels, 2}) == place);
    RC_ASSERT(table.handle(place).number == labels + 1);
  }
  RC_ASSERT(table.find_labels({3, 3}) == LastValueTable::kNone);
}

TEST(LastValueTable, ASeriesOfRemoteWriteTakes64BytesAndItsPartOfTheIndexes) {
  constexpr size_t kCount = size_t{3} << 15;  // the indexes are as full as they get
  LastValueTable table;
  for (uint64_t i = 0; i < kCount; ++i) {
    const auto place = table.insert({{i, 1}, Number::decimal(7, 0), 1'700'000'000'000});
    table.set_labels(place, {i, 2});
  }
  EXPECT_LE(table.memory_bytes() / kCount, 75U);
}

}  // namespace
}  // namespace statmill
