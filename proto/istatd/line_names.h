// The two rules for the names of lines: istatd's, which folds them, and the canonical one. The common name is
// found and stored without a copy.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes16.h"
#include "proto/added_tags.h"
#include "proto/batch.h"
#include "proto/canonical_name.h"
#include "proto/istatd/family_line.h"
#include "proto/line_text.h"
#include "proto/normal_name.h"
#include "proto/tagged_name.h"

namespace statmill {

// A name that needs no rewriting, as find_plain() cuts it out of a line.
struct PlainName {
  std::string_view path;
  std::string_view tags;  // without the first `;`; not checked yet
  const char* end;        // the first byte after the name

  bool is_empty() const { return path.empty(); }
};

// Marks the bytes other than lower-case letters, digits and - . _, which nearly all names consist of and
// which are stored unchanged by both rules. Not a function: that would be called through its address for
// every 16 bytes.
inline constexpr auto is_not_plain_folded = [](Bytes16 b) -> Mask16 {
  const Mask16 is_letter = b - 'a' < 26;
  const Mask16 is_digit_point_dash = (b - '-' < 13) & (b != '/');
  return ~(is_letter | is_digit_point_dash | (b == '_'));
};
// The same with capitals and `/`, which only a folded name cannot have.
inline constexpr auto is_not_plain_canonical = [](Bytes16 b) -> Mask16 {
  const Mask16 is_letter = (b | 0x20) - 'a' < 26;
  const Mask16 is_dash_to_nine = b - '-' < 13;
  return ~(is_letter | is_dash_to_nine | (b == '_'));
};
// Marks the bytes that end tags which need no rewriting.
inline constexpr auto is_not_plain_tag = [](Bytes16 b) -> Mask16 {
  return odd_bytes(b) | (b == sixteen('%'));
};

class FoldedNames {
 public:
  static constexpr PathRule kPathRule = PathRule::kFold;

  // Cuts the plain name at `at` out of the text [begin, end).
  PlainName find_plain(const char* begin, const char* at, const char* end) const {
    const char* const name_end = find_first(begin, at, end, is_not_plain_folded);
    return {{at, static_cast<size_t>(name_end - at)}, {}, name_end};
  }
  // Returns the stored name, kept by `batch` or a part of the line; an empty text if only read() finds it.
  std::string_view stored(const PlainName& name, Batch&) const {
    return name.path.size() <= kNameBytesMax ? name.path : std::string_view();
  }
  // Reads a name without carets.
  Verdict<Refusal> read(std::string_view text, Batch& batch, std::string_view& name) const {
    if (text.empty()) return Refusal::kEmptyName;
    const bool is_normal = is_normal_name(text);
    if (is_normal && is_plainly_canonical(text)) {
      name = text;
      return kAccepted;
    }
    return spell_name(is_normal ? text : batch.keep(normal_name(text)), batch, name);
  }
  const AddedTags& added() const { return none_; }

 private:
  const AddedTags none_{};
};

class CanonicalNames {
 public:
  static constexpr PathRule kPathRule = PathRule::kKeep;

  // `added` must outlive it.
  explicit CanonicalNames(const AddedTags& added) : added_(added), adds_(!added.is_empty()) {}

  PlainName find_plain(const char* begin, const char* at, const char* end) const {
    const char* const path_end = find_first(begin, at, end, is_not_plain_canonical);
    PlainName name{{at, static_cast<size_t>(path_end - at)}, {}, path_end};
    if (path_end != end && *path_end == ';') {
      name.end = find_first(begin, path_end + 1, end, is_not_plain_tag);
      name.tags = {path_end + 1, static_cast<size_t>(name.end - path_end - 1)};
    }
    return name;
  }
  std::string_view stored(const PlainName& name, Batch& batch) const {
    if (name.is_empty()) return {};
    const bool has_tags = name.end != name.path.data() + name.path.size();
    if (adds_ && (!has_tags || !name.tags.empty())) return added_.name(name.path, name.tags, batch);
    if (has_tags && (name.tags.empty() || !are_canonical_tags(name.tags))) return {};
    const std::string_view whole(name.path.data(), static_cast<size_t>(name.end - name.path.data()));
    return whole.size() <= kNameBytesMax ? whole : std::string_view();
  }
  Verdict<Refusal> read(std::string_view text, Batch& batch, std::string_view& name) const {
    if (!adds_ && is_plainly_canonical(text)) {
      name = text;
      return kAccepted;
    }
    return spell_name(text, added_, batch, name);
  }
  const AddedTags& added() const { return added_; }

 private:
  const AddedTags& added_;
  const bool adds_;
};

}  // namespace statmill
