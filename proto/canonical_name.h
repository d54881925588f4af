// The canonical spelling of a name: `path;tag=value;...` with its tags sorted by the bytes of their keys, and
// each part escaped as little as possible (proto/name_escapes.h). Every door accepts other spellings of a
// name, with tags in any order and other escapes, and stores this one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/verdict.h"
#include "proto/batch.h"

namespace statmill {

class AddedTags;

// The longest spelling of a name: each byte may be written as an escape.
inline constexpr size_t kSpellingBytesMax = 3 * kNameBytesMax;

// Returns true if `text` is certainly a canonical name. Returns false for some canonical names, to avoid more
// work: those with a `%`, and those for which are_canonical_tags() does.
bool is_plainly_canonical(std::string_view text);

// Sets `name` to the canonical spelling of `text`, with the tags of `added` that it does not have itself. It
// is `text` or kept by `batch`. Refuses with kBadName a text that is not is_text(), with kEmptyName one
// without path, with kNameTooLong a name of more than kNameBytesMax or a spelling of more than
// kSpellingBytesMax, and wrong tags as TagList does.
Verdict<Refusal> spell_name(std::string_view text, const AddedTags& added, Batch& batch,
                            std::string_view& name);
Verdict<Refusal> spell_name(std::string_view text, Batch& batch, std::string_view& name);

// Writes blanks and control bytes as escapes, since no name has them. All else stays, so that the text may be
// a glob or have carets.
std::string with_blanks_escaped(std::string_view text);

// Returns the canonical spelling of a name that is not part of a line, as in a request. Error: kInvalid.
Result<std::string> spelled_name(std::string_view text);

}  // namespace statmill
