// The fields of Graphite's samples, as carbon 1.1.7 reads them, shared by its lines and its pickles.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/verdict.h"
#include "proto/batch.h"
#include "proto/number.h"
#include "proto/tagged_name.h"

namespace statmill {

// Returns true if the whole text is a canonical name. May return false for some canonical names, to avoid
// more work. Requires: `text` is not empty.
inline bool is_canonical_graphite_name(std::string_view text) {
  if (text.front() == '~' || text.ends_with("\"}")) return false;
  const size_t path_size = plain_path_size(text);
  if (path_size == text.size()) return true;
  const std::string_view tags = text.substr(path_size + 1);
  return path_size > 0 && text[path_size] == ';' && is_clean_text(tags) && are_canonical_tags(tags);
}

// Reads `path[;tag=value...]` or `path{tag="value",...}`. Sets `name` to the canonical name: the text itself
// if that is canonical, else kept by `batch`. Refuses with kEmptyName, kBadName, kNameTooLong and the reasons
// of TagList::add().
Verdict<Refusal> read_graphite_name(std::string_view text, Batch& batch, std::string_view& name);

// Reads a time: carbon parses it as a float; -1 means now, and other times are truncated to whole seconds. N
// is rrdtool's spelling of now. For now, `time_s` stays empty.
Verdict<Refusal> read_graphite_time(std::string_view text, std::optional<int64_t>& time_s);
// The same for a number, which need not be finite.
Verdict<Refusal> read_graphite_time(double time, std::optional<int64_t>& time_s);

}  // namespace statmill
