#include "proto/canonical_name.h"

#include <algorithm>

#include "proto/added_tags.h"
#include "proto/name_escapes.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

// Returns what is wrong with a name, for a person.
std::string_view fault_of(Refusal reason) {
  switch (reason) {
    case Refusal::kEmptyName:
      return "has no path";
    case Refusal::kBadName:
      return "has a control or hidden character, or is not UTF-8";
    case Refusal::kBadTag:
      return "has a tag that is not of the form key=value";
    case Refusal::kDuplicateTag:
      return "has two values for one tag";
    case Refusal::kTagLimit:
      return "has more than 64 tags";
    default:
      return "has more than 2048 bytes";
  }
}

}  // namespace

bool is_plainly_canonical(std::string_view text) {
  if (text.size() > kNameBytesMax || text.starts_with('~')) return false;
  const auto is_end = [](Bytes16 bytes) -> Mask16 {
    return odd_bytes(bytes) | (bytes == sixteen(';')) | (bytes == sixteen('%'));
  };
  const char* const end = text.data() + text.size();
  const char* const path_end = find_first(text.data(), text.data(), end, is_end);
  if (path_end == text.data()) return false;
  if (path_end == end) return true;
  const std::string_view tags = text.substr(static_cast<size_t>(path_end - text.data()) + 1);
  return *path_end == ';' && is_clean_text(tags) && are_canonical_tags(tags);
}

Verdict<Refusal> spell_name(std::string_view text, const AddedTags& added, Batch& batch,
                            std::string_view& name) {
  if (text.size() > kSpellingBytesMax) return Refusal::kNameTooLong;
  if (!is_text(text)) return Refusal::kBadName;
  const size_t path_size = std::min(text.find(';'), text.size());
  std::string_view path = text.substr(0, path_size);
  if (path.empty()) return Refusal::kEmptyName;
  if (const auto verdict = spell_part(path, NamePart::kPath, batch, path); verdict.is_refused())
    return verdict;
  TagList tags;
  if (path_size != text.size()) {
    const auto verdict = tags.add_all(text.substr(path_size + 1), TagSpelling::kGraphite, batch);
    if (verdict.is_refused()) return verdict;
  }
  if (const auto verdict = added.add_to(tags, batch); verdict.is_refused()) return verdict;
  if (tags.name_size(path) > kNameBytesMax) return Refusal::kNameTooLong;
  name = tags.is_empty() ? path : tags.name(path, batch);
  return kAccepted;
}

Verdict<Refusal> spell_name(std::string_view text, Batch& batch, std::string_view& name) {
  return spell_name(text, AddedTags(), batch, name);
}

std::string with_blanks_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_odd = static_cast<uint8_t>(c) < 33 || c == 127;
    out.append(is_odd ? escaped_value({&c, 1}) : std::string(1, c));
  }
  return out;
}

Result<std::string> spelled_name(std::string_view text) {
  if (is_plainly_canonical(text)) return std::string(text);
  Batch batch;
  std::string_view name;
  if (const auto verdict = spell_name(text, batch, name); verdict.is_refused())
    return Error{ErrorCode::kInvalid,
                 "the name \"" + std::string(text) + "\" " + std::string(fault_of(verdict.reason()))};
  return std::string(name);
}

}  // namespace statmill
