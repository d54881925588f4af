// PackedSlot keeps every slot in its range and clamps the others.
#include "server/table/packed_slot.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace statmill {
namespace {

TEST(PackedSlot, KeepsEverySlotInRange) {
  for (const Slot slot : {Slot{0}, Slot{-1}, Slot{1}, Slot{65'535}, Slot{65'536}, Slot{-65'536},
                          (Slot{1} << 32) - 1, Slot{1} << 32, PackedSlot::kMin, PackedSlot::kMax})
    EXPECT_EQ(Slot{PackedSlot(slot)}, slot);
}

TEST(PackedSlot, ClampsSlotsOutOfRange) {
  for (const Slot slot : {PackedSlot::kMax + 1, std::numeric_limits<Slot>::max()})
    EXPECT_EQ(Slot{PackedSlot(slot)}, PackedSlot::kMax);
  for (const Slot slot : {PackedSlot::kMin - 1, std::numeric_limits<Slot>::min()})
    EXPECT_EQ(Slot{PackedSlot(slot)}, PackedSlot::kMin);
}

RC_GTEST_PROP(PackedSlot, ClampsAnySlot, (Slot slot)) {
  RC_ASSERT(Slot{PackedSlot(slot)} == std::clamp(slot, PackedSlot::kMin, PackedSlot::kMax));
}

}  // namespace
}  // namespace statmill
