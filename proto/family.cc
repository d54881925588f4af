#include "proto/family.h"

#include <algorithm>

#include "proto/tagged_name.h"

namespace statmill {

bool is_unit(std::string_view text) {
  const auto is_allowed = [](char c) {
    return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '_' || c == '/' || c == '%';
  };
  return text.size() <= kUnitBytesMax && std::ranges::all_of(text, is_allowed);
}

bool is_help(std::string_view text) { return text.size() <= kHelpBytesMax && is_text(text); }

Verdict<Refusal> check_family(const FamilyText& family) {
  if (family.path.empty()) return Refusal::kEmptyName;
  if (family.path.size() > kNameBytesMax) return Refusal::kNameTooLong;
  const bool has_tags = family.path.find(';') != std::string_view::npos;
  if (has_tags || !is_clean_text(family.path)) return Refusal::kBadName;
  if (family.help.size() > kHelpBytesMax) return Refusal::kMetadataLimit;
  return accept_if(is_unit(family.unit) && is_help(family.help), Refusal::kBadMetadata);
}

}  // namespace statmill
