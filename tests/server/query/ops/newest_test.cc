#include "server/query/ops/newest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace statmill {
namespace {

// Windows of one length whose ends move by `step`, cut at element 0 and at `size`.
std::vector<SlotWindow> windows_of(uint32_t size, uint32_t length, uint32_t step, uint32_t first_end) {
  std::vector<SlotWindow> windows;
  for (uint32_t end = first_end; end <= size; end += step)
    windows.push_back({end - std::min(end, length), end});
  return windows;
}

TEST(SlidingLength, IsThatOfWindowsThatMoveByOneElement) {
  EXPECT_EQ(sliding_length(windows_of(20, 5, 1, 8)), 5U);
  EXPECT_EQ(sliding_length(windows_of(20, 5, 1, 2)), 5U);
  EXPECT_EQ(sliding_length(windows_of(20, 5, 2, 8)), std::nullopt);
  EXPECT_EQ(sliding_length(windows_of(8, 5, 1, 8)), std::nullopt);
  const std::vector<SlotWindow> longer = {{0, 3}, {0, 4}, {2, 5}};
  EXPECT_EQ(sliding_length(longer), std::nullopt);
  EXPECT_EQ(sliding_length({}), std::nullopt);
}

RC_GTEST_PROP(Newest, IsTheLastPresentElementOfEachWindow, ()) {
  const auto size = *rc::gen::inRange<uint32_t>(1, 300);
  const bool is_dense = *rc::gen::arbitrary<bool>();
  Presence present(size);
  std::vector<int64_t> integers(size);
  for (size_t i = 0; i < size; ++i) {
    if (*rc::gen::inRange(0, 20) >= (is_dense ? 1 : 18)) {
      present.set(i);
      integers[i] = *rc::gen::inRange<int64_t>(-1000, 1000);
    }
  }
  const auto windows = windows_of(size, *rc::gen::inRange<uint32_t>(1, 40), *rc::gen::inRange<uint32_t>(1, 4),
                                  *rc::gen::inRange<uint32_t>(1, size + 1));
  const Numbers numbers = newest_integers(present, integers, 2, windows, sliding_length(windows));
  RC_ASSERT(numbers.size() == windows.size());
  RC_ASSERT(numbers.scale == 2);
  for (size_t w = 0; w < windows.size(); ++w) {
    std::optional<int64_t> want;
    for (uint32_t i = windows[w].begin; i < windows[w].end; ++i) {
      if (present[i]) want = integers[i];
    }
    RC_ASSERT(numbers.present[w] == want.has_value());
    RC_ASSERT(numbers.integers[w] == want.value_or(0));
  }
}

}  // namespace
}  // namespace statmill
