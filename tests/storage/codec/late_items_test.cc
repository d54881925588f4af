#include "storage/codec/late_items.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <string>

namespace statmill {
namespace {

struct Text {
  Slot slot = 0;
  std::string text;
  friend bool operator==(const Text&, const Text&) = default;
};

void append(Text& to, const Text& from) { to.text += from.text; }

RC_GTEST_PROP(LateItems, MergesTheItemsOfASlotInTheOrderOfTheirArrival, ()) {
  const auto slots = *rc::gen::container<std::vector<Slot>>(rc::gen::inRange<Slot>(0, 40));
  LateItems<Text> late;
  std::map<Slot, std::string> expected;
  for (size_t i = 0; i < slots.size(); ++i) {
    const std::string text = std::to_string(i) + " ";
    late.add({slots[i], text}, append);
    expected[slots[i]] += text;
  }
  std::vector<Text> ordered;
  for (const auto& [slot, text] : expected) ordered.push_back({slot, text});
  RC_ASSERT(late.ordered(append) == ordered);
  RC_ASSERT(late.is_empty() == slots.empty());
  if (!slots.empty()) RC_ASSERT(late.oldest_slot() == ordered.front().slot);
}

// Counts how often items are moved or copied.
struct Counted {
  explicit Counted(Slot s = 0) : slot(s) {}
  Counted(const Counted& other) : slot(other.slot) { ++moves; }
  Counted& operator=(const Counted& other) {
    slot = other.slot;
    ++moves;
    return *this;
  }
  Slot slot;
  static inline uint64_t moves = 0;
};

void expect_few_moves(const std::vector<Slot>& slots) {
  LateItems<Counted> late;
  Counted::moves = 0;
  for (const Slot slot : slots) late.add(Counted(slot), [](Counted&, const Counted&) {});
  const auto n = static_cast<double>(slots.size());
  EXPECT_LT(static_cast<double>(Counted::moves), 4 * n * std::log2(n));
}

TEST(LateItems, MovesAnItemALogarithmicNumberOfTimes) {
  constexpr Slot kLateSlots = 100'000;
  std::vector<Slot> descending;
  std::vector<Slot> interleaved;  // ascending pieces, the later ones older
  for (Slot i = 0; i < kLateSlots; ++i) {
    descending.push_back(kLateSlots - i);
    interleaved.push_back(kLateSlots - i / 100 * 100 + i % 100);
  }
  expect_few_moves(descending);
  expect_few_moves(interleaved);
}

TEST(LateItems, KeepFewItemsForASlotThatRepeats) {
  LateItems<Text> late;
  for (int i = 0; i < 10'000; ++i) late.add({i % 2, "x"}, append);
  EXPECT_LT(late.capacity(), 64U);
}

}  // namespace
}  // namespace statmill
