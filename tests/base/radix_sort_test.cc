#include "base/radix_sort.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace statmill {
namespace {

struct Item {
  uint32_t key = 0;
  size_t came = 0;
  bool operator==(const Item&) const = default;
};

RC_GTEST_PROP(RadixSort, AgreesWithStableSort, ()) {
  const auto size = *rc::gen::element<size_t>(0, 1, 511, 512, 513, 3000, 20'000);
  const auto least = *rc::gen::element<uint32_t>(0, 1, 1'000'000, 0xffffffff);  // keys wrap around
  const auto bits = *rc::gen::inRange(0, 33);
  std::minstd_rand random(*rc::gen::arbitrary<uint32_t>() | 1U);
  std::vector<Item> items;
  for (size_t i = 0; i < size; ++i) {
    const uint64_t any = uint64_t{random()} << 31 | random();
    items.push_back({static_cast<uint32_t>(least + (any & ((uint64_t{1} << bits) - 1))), i});
  }
  std::vector<Item> expected = items;
  const auto key_of = [](const Item& item) { return item.key; };
  std::stable_sort(expected.begin(), expected.end(),
                   [&](const Item& a, const Item& b) { return key_of(a) < key_of(b); });
  radix_sort(items, key_of);
  RC_ASSERT(items == expected);
}

}  // namespace
}  // namespace statmill
