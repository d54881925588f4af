// Family: all series of one path and kind, whatever their tags, and what they have in common: the unit of
// their values and a sentence about them.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/verdict.h"
#include "proto/sample.h"

namespace statmill {

inline constexpr size_t kUnitBytesMax = 32;
inline constexpr size_t kHelpBytesMax = 1024;

// Views into the text that it was read from.
struct FamilyText {
  Kind kind = Kind::kGauge;
  std::string_view path;
  std::string_view unit;  // empty: none was given
  std::string_view help;  // empty: none was given
  bool operator==(const FamilyText&) const = default;
};

// Returns the path of a canonical name: what is before its tags.
inline std::string_view path_of(std::string_view name) { return name.substr(0, name.find(';')); }

// Returns whether a text is a unit: at most kUnitBytesMax bytes of a-z, 0-9, _, / and %.
bool is_unit(std::string_view text);
// Returns whether a text is a help text: at most kHelpBytesMax bytes that are is_text()
// (proto/tagged_name.h): valid UTF-8 without control, bidi and other format characters.
bool is_help(std::string_view text);
// Checks path, unit and help. Refuses with kEmptyName, kNameTooLong and kBadName (the path), kBadMetadata
// (unit or help) and kMetadataLimit (a help that is too long).
Verdict<Refusal> check_family(const FamilyText& family);

}  // namespace statmill
