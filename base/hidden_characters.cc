#include "base/hidden_characters.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace statmill {
namespace {

struct Range {
  uint32_t first;
  uint32_t last;
};

// General_Category=Cf of DerivedGeneralCategory.txt, Unicode 15.0, with C1, U+2028 and U+2029. The block
// U+2060 to U+206F is whole: Unicode reserves what it has not assigned there for more of the same.
constexpr auto kHidden = std::to_array<Range>(
    {{0x0080, 0x009f},   {0x00ad, 0x00ad},   {0x0600, 0x0605},   {0x061c, 0x061c},   {0x06dd, 0x06dd},
     {0x070f, 0x070f},   {0x0890, 0x0891},   {0x08e2, 0x08e2},   {0x180e, 0x180e},   {0x200b, 0x200f},
     {0x2028, 0x202e},   {0x2060, 0x206f},   {0xfeff, 0xfeff},   {0xfff9, 0xfffb},   {0x110bd, 0x110bd},
     {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0001, 0xe0001},
     {0xe0020, 0xe007f}});

}  // namespace

uint32_t code_point_of(std::string_view sequence) {
  const auto lead = static_cast<uint8_t>(sequence.front());
  if (sequence.size() == 1) return lead;
  uint32_t code_point = lead & (0x7fU >> sequence.size());
  for (const char c : sequence.substr(1)) code_point = code_point << 6 | (static_cast<uint8_t>(c) & 0x3fU);
  return code_point;
}

bool is_hidden_character(uint32_t code_point) {
  const auto* const range = std::lower_bound(kHidden.begin(), kHidden.end(), code_point,
                                             [](const Range& r, uint32_t c) { return r.last < c; });
  return range != kHidden.end() && range->first <= code_point;
}

bool has_hidden_character(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length > 1 && is_hidden_character(code_point_of(text.substr(0, length)))) return true;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return false;
}

}  // namespace statmill
