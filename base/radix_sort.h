// Radix sort by a 32-bit key, for long lists that come in no order: linear in their length.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace statmill {

// Sorts `items` by key_of(item), a uint32_t, ascending; equal keys keep their order. Cost: a pass over all
// for each 11 bits of the largest key, and room for as many items again; short lists are sorted by comparing.
template <class Item, class KeyOf>
void radix_sort(std::vector<Item>& items, const KeyOf& key_of) {
  constexpr size_t kShort = 512;
  constexpr unsigned kDigitBits = 11;
  constexpr size_t kDigits = size_t{1} << kDigitBits;
  if (items.size() < kShort) {
    std::stable_sort(items.begin(), items.end(),
                     [&](const Item& a, const Item& b) { return key_of(a) < key_of(b); });
    return;
  }
  uint64_t all_bits = 0;  // wide enough to be shifted by all of them
  for (const Item& item : items) all_bits |= key_of(item);
  std::vector<Item> sorted(items.size());
  for (unsigned shift = 0; all_bits >> shift != 0; shift += kDigitBits) {
    const auto digit_of = [&](const Item& item) { return (key_of(item) >> shift) & (kDigits - 1); };
    std::array<size_t, kDigits + 1> place{};
    for (const Item& item : items) ++place[digit_of(item) + 1];
    for (size_t digit = 1; digit <= kDigits; ++digit) place[digit] += place[digit - 1];
    for (Item& item : items) sorted[place[digit_of(item)]++] = std::move(item);
    items.swap(sorted);
  }
}

}  // namespace statmill
