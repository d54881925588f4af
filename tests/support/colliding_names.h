// Names that all have the same hash_name(), as a hostile sender can make them.
//
// XXH3 adds, for each stripe of 64 bytes, eight lanes to eight accumulators: the lane itself to one, and to
// another the product of the two halves of lane ^ key, where the keys are public. If a half of the lane
// equals that of the key, the product is 0, whatever the other half is. Two stripes have such a lane each,
// and what varies in the one is made up for in the other, so that the sum of both is always the same:
//
//   stripe 0, lane 7: [a b c 0xc3][0x81 : & L]      stripe 7, lane 7: [a' b' c' x][0xcd 0xb4 Y 1]
//   stripe 1, lane 6: the same                      stripe 8, lane 6: the same
//
// with a + a' = 'a' + 'z', and so on. The right halves are those of the keys, which happen to be UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace statmill {

// Returns different names of 640 bytes. Requires: at most 26^6.
inline std::vector<std::string> colliding_names(size_t count) {
  constexpr size_t kStripe = 64;
  constexpr size_t kLane = 8;
  struct Place {
    size_t stripe;
    size_t lane;
    size_t opposite;  // the stripe that makes up for this one
  };
  std::vector<std::string> names;
  names.reserve(count);
  for (size_t n = 0; n < count; ++n) {
    std::string name(10 * kStripe, 'x');
    size_t left = n;
    for (const Place& place : {Place{0, 7, 7}, Place{1, 6, 8}}) {
      const size_t at = place.stripe * kStripe + place.lane * kLane;
      const size_t opposite = place.opposite * kStripe + place.lane * kLane;
      name.replace(at, kLane, "...\xc3\x81:&L");
      name.replace(opposite, kLane, "...x\xcd\xb4Y1");
      for (size_t i = 0; i < 3; ++i) {
        const auto letter = static_cast<char>(left % 26);
        left /= 26;
        name[at + i] = static_cast<char>('a' + letter);
        name[opposite + i] = static_cast<char>('z' - letter);
      }
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace statmill
