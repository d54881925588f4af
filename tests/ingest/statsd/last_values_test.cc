// Compares the table of last values with a std::map while gauges arrive, are forgotten and return.
#include "ingest/statsd/last_values.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace statmill {
namespace {

constexpr int64_t kStart = 1'700'000'000;

Timestamp at(int64_t s) { return from_unix_seconds(kStart + s); }

// Sweeps all parts.
uint64_t forget_all_before(LastValues& values, Timestamp time) {
  uint64_t forgotten = 0;
  for (size_t i = 0; i < LastValues::kSweepParts; ++i) forgotten += values.forget_before(time);
  return forgotten;
}

TEST(LastValues, KeepsAnyNumberAndTime) {
  const std::vector<Number> numbers = {Number{}, Number::decimal(-Number::kMantissaMax, 0),
                                       Number::decimal(Number::kMantissaMax, Number::kScaleMax),
                                       Number::of(-1e-300), Number::of(1e300)};
  const std::vector<Timestamp> times = {at(0), at(0) + Duration(1), from_unix_seconds(0),
                                        from_unix_seconds(-1), from_unix_seconds(1'000'000'000'000)};
  LastValues values;
  for (uint64_t i = 0; i < numbers.size(); ++i) values.insert({i, i}, numbers[i], times[i]);
  for (uint64_t i = 0; i < numbers.size(); ++i) {
    const LastValues::Entry* const entry = values.find({i, i});
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->value().mantissa, numbers[i].mantissa);
    EXPECT_EQ(entry->value().scale, numbers[i].scale);
    EXPECT_EQ(entry->time(), times[i]);
  }
  EXPECT_EQ(values.find({0, 1}), nullptr) << "both halves of the hash must match";
  EXPECT_EQ(values.find({1, 0}), nullptr);
}

// Many searches begin at the same entry, also at the last entries of the
// table. Numbers from kGauges on sweep a part.
RC_GTEST_PROP(LastValues, BehavesLikeAMap, ()) {
  constexpr uint32_t kGauges = 150;  // the table grows twice
  const auto steps =
      *rc::gen::resize(600, rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange<uint32_t>(0, 200)));
  const auto name_of = [](uint64_t gauge) { return Hash128{~uint64_t{0} - gauge % 7, gauge}; };
  LastValues values;
  std::map<uint32_t, int64_t> model;  // gauge -> time, which is also its value
  int64_t now = 0;
  for (const uint32_t gauge : steps) {
    ++now;
    if (gauge >= kGauges) {
      const int64_t since = now - 40;
      const size_t before = values.size();
      const uint64_t forgotten = values.forget_before(at(since));
      RC_ASSERT(values.size() == before - forgotten);
      std::erase_if(model, [&](const auto& known) { return values.find(name_of(known.first)) == nullptr; });
      RC_ASSERT(model.size() == values.size());
    } else if (LastValues::Entry* const known = values.find(name_of(gauge))) {
      RC_ASSERT(model.contains(gauge));
      known->set(Number::decimal(now, 0), at(now));
      model[gauge] = now;
    } else {
      RC_ASSERT(!model.contains(gauge));
      values.insert(name_of(gauge), Number::decimal(now, 0), at(now));
      model[gauge] = now;
    }
    bool is_right = true;
    for (const auto& [known, time] : model) {
      const LastValues::Entry* const entry = values.find(name_of(known));
      is_right &= entry != nullptr && entry->time() == at(time) &&
                  entry->value().mantissa == Number::decimal(time, 0).mantissa;
    }
    RC_ASSERT(is_right);
  }
  const auto is_old = [&](const auto& known) { return known.second < now - 20; };
  RC_ASSERT(forget_all_before(values, at(now - 20)) == std::erase_if(model, is_old));
  for (const auto& [known, time] : model) RC_ASSERT(values.find(name_of(known)) != nullptr);
}

TEST(LastValues, SweepsATableThatGrewBetweenTwoParts) {
  LastValues values;
  uint64_t gauges = 0;
  const auto insert = [&](uint64_t count, Timestamp time) {
    for (; count > 0; --count) values.insert(hash_name(std::to_string(gauges++), 0), {}, time);
  };
  insert(20'000, at(0));
  uint64_t forgotten = 0;
  for (size_t i = 0; i < LastValues::kSweepParts; ++i) {
    if (i % 100 == 99) insert(20'000, at(1));
    forgotten += values.forget_before(at(1));
  }
  forgotten += forget_all_before(values, at(1));
  EXPECT_EQ(forgotten, 20'000U);
  EXPECT_EQ(values.size(), gauges - forgotten);
}

TEST(LastValues, ShrinksWhenMostGaugesAreForgotten) {
  LastValues values;
  for (uint64_t i = 0; i < 100'000; ++i) {
    values.insert(hash_name(std::to_string(i), 0), Number::decimal(1, 0), at(i < 1000 ? 1 : 0));
  }
  EXPECT_EQ(values.room(), size_t{1} << 17) << "42 bytes for each at the default limit";
  EXPECT_EQ(forget_all_before(values, at(1)), 99'000U);
  for (int i = 0; i < 10; ++i) forget_all_before(values, at(1));
  EXPECT_LE(values.room(), 8 * values.size());
  for (uint64_t i = 0; i < 1000; ++i) EXPECT_NE(values.find(hash_name(std::to_string(i), 0)), nullptr);
}

}  // namespace
}  // namespace statmill
