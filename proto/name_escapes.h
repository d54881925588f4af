// The escapes of canonical names (proto/canonical_name.h): how any text becomes a path, a key or a value.
//
// A byte that a canonical name cannot have there is stored as %XX, two upper-case hex digits: a blank, a
// control byte, DEL and `;` anywhere; a `~` in front; `!`, `^` and `=` in a key; the first byte of the key
// `name`, which means the path; and every byte that is not part of UTF-8. A `%` is stored so only if two hex
// digits follow it. Reading a name back undoes %XX wherever two hex digits follow a `%`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/verdict.h"
#include "proto/batch.h"

namespace statmill {

enum class NamePart : uint8_t { kPath, kKey, kValue };

// The mapping of one text. unescaped(x) is what x was before it was escaped.
std::string escaped(std::string_view text, NamePart part);
std::string escaped_path(std::string_view path);
std::string escaped_key(std::string_view key);
std::string escaped_value(std::string_view value);
bool has_escape(std::string_view text);
std::string unescaped(std::string_view text);

// Sets `spelled` to the canonical spelling of `text`, which may contain escapes: the shortest escape of what
// it means. It is `text` itself if that is canonical, else kept by `batch`. Refuses hidden characters that
// are written as escapes with kBadName. Requires: is_text(text). Cost: no allocation without `%` and without
// bytes that must be escaped.
Verdict<Refusal> spell_part(std::string_view text, NamePart part, Batch& batch, std::string_view& spelled);

}  // namespace statmill
