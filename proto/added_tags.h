// AddedTags: tags that all names of a block of lines get, such as the host of an agent's batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/verdict.h"
#include "proto/batch.h"

namespace statmill {

class TagList;

// Immutable.
class AddedTags {
 public:
  AddedTags() = default;  // adds nothing

  // `tags` are those of a canonical name, "dc=eu;host=web1", and must outlive the result; an empty text adds
  // nothing. Returns nullopt if they have another spelling.
  static std::optional<AddedTags> read(std::string_view tags);

  bool is_empty() const { return tags_.empty(); }
  // Returns the canonical name of a path with its own tags and these; its own tag wins where both have the
  // key. Returns an empty text if the own tags are not certainly canonical (see are_canonical_tags()) or the
  // name is too long: spell_name() finds out. Requires: clean text. `batch` keeps the name. Cost: one pass.
  std::string_view name(std::string_view path, std::string_view own, Batch& batch) const;
  // Adds those whose keys the list does not have. Refuses with kTagLimit.
  Verdict<Refusal> add_to(TagList& list, Batch& batch) const;

 private:
  struct Tag {
    uint64_t key_head;
    std::string_view key;
    std::string_view pair;  // "key=value"
  };

  std::string_view text_;
  std::vector<Tag> tags_;  // ascending by key
};

}  // namespace statmill
