#include "proto/family.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "proto/tagged_name.h"

namespace statmill {
namespace {

constexpr uint32_t kNoCharacter = 0xffffffff;

// Removes one character from the front of `text`, which is not empty. Returns kNoCharacter if that is not
// UTF-8.
uint32_t next_character(std::string_view& text) {
  const auto first = static_cast<uint8_t>(text.front());
  const size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if ((0x80 <= first && first < 0xc2) || first > 0xf4 || text.size() < size) return kNoCharacter;
  uint32_t character = size == 1 ? first : first & (0xffU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xc0) != 0x80) return kNoCharacter;
    character = character << 6 | (byte & 0x3f);
  }
  constexpr std::array<uint32_t, 5> kLeast = {0, 0, 0x80, 0x800,
                                              0x10000};  // by size; below: an overlong form
  const bool is_surrogate = 0xd800 <= character && character < 0xe000;
  if (character < kLeast.at(size) || is_surrogate || character > 0x10ffff) return kNoCharacter;
  text.remove_prefix(size);
  return character;
}

struct Range {
  uint32_t first;
  uint32_t last;
};

// C0 and C1 controls, DEL, line separators, and Unicode 15's category Cf, which has the bidi controls.
constexpr auto kHidden = std::to_array<Range>({{0, 0x1f},
                                               {0x7f, 0x9f},
                                               {0xad, 0xad},
                                               {0x600, 0x605},
                                               {0x61c, 0x61c},
                                               {0x6dd, 0x6dd},
                                               {0x70f, 0x70f},
                                               {0x890, 0x891},
                                               {0x8e2, 0x8e2},
                                               {0x180e, 0x180e},
                                               {0x200b, 0x200f},
                                               {0x2028, 0x202e},
                                               {0x2060, 0x206f},
                                               {0xfeff, 0xfeff},
                                               {0xfff9, 0xfffb},
                                               {0x110bd, 0x110bd},
                                               {0x110cd, 0x110cd},
                                               {0x13430, 0x1343f},
                                               {0x1bca0, 0x1bca3},
                                               {0x1d173, 0x1d17a},
                                               {0xe0001, 0xe0001},
                                               {0xe0020, 0xe007f},
                                               {kNoCharacter, kNoCharacter}});

bool is_hidden(uint32_t character) {
  return std::ranges::any_of(kHidden,
                             [=](const Range& r) { return r.first <= character && character <= r.last; });
}

}  // namespace

bool is_unit(std::string_view text) {
  const auto is_allowed = [](char c) {
    return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '_' || c == '/' || c == '%';
  };
  return text.size() <= kUnitBytesMax && std::ranges::all_of(text, is_allowed);
}

bool is_help(std::string_view text) {
  if (text.size() > kHelpBytesMax) return false;
  while (!text.empty()) {
    if (is_hidden(next_character(text))) return false;
  }
  return true;
}

Verdict<Refusal> check_family(const FamilyText& family) {
  if (family.path.empty()) return Refusal::kEmptyName;
  if (family.path.size() > kNameBytesMax) return Refusal::kNameTooLong;
  const bool has_tags = family.path.find(';') != std::string_view::npos;
  if (has_tags || !is_clean_text(family.path)) return Refusal::kBadName;
  if (family.help.size() > kHelpBytesMax) return Refusal::kMetadataLimit;
  return accept_if(is_unit(family.unit) && is_help(family.help), Refusal::kBadMetadata);
}

}  // namespace statmill
