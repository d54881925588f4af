#include "proto/added_tags.h"

#include <algorithm>
#include <string>

#include "proto/canonical_name.h"
#include "proto/tag_text.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

constexpr size_t kHeadBytes = 8;  // head_of() returns so many bytes of a key

// Appends ";pair".
char* put_pair(std::string_view pair, char* at) {
  *at++ = ';';
  return copy_short(pair, at);
}

}  // namespace

std::optional<AddedTags> AddedTags::read(std::string_view tags) {
  AddedTags added;
  if (tags.empty()) return added;
  const std::string any_name = "x;" + std::string(tags);
  const auto spelled = spelled_name(any_name);
  if (!spelled || *spelled != any_name) return std::nullopt;
  added.text_ = tags;
  while (!tags.empty()) {
    const std::string_view pair = tags.substr(0, tags.find(';'));
    const std::string_view key = pair.substr(0, pair.find('='));
    added.tags_.push_back({head_of(key), key, pair});
    tags.remove_prefix(std::min(pair.size() + 1, tags.size()));
  }
  return added;
}

std::string_view AddedTags::name(std::string_view path, std::string_view own, Batch& batch) const {
  const size_t size_max = path.size() + own.size() + text_.size() + 2;
  if (size_max > kNameBytesMax) return {};
  char* const begin = batch.spare(size_max);
  char* to = copy_short(path, begin);
  const Tag* added = tags_.data();
  const Tag* const added_end = added + tags_.size();
  size_t room = kTagsMax - tags_.size();
  uint64_t last_head = 0;
  const char* const end = own.data() + own.size();
  TagEnds<';', '='> ends(own);
  for (const char* at = own.data(); at != end; --room) {
    const char* const key = at;
    const char* const assign = ends.key_end(key);
    if (room == 0 || assign == end || *assign != '=') return {};
    const std::string_view key_text(key, static_cast<size_t>(assign - key));
    const uint64_t head = head_of(key_text, own.data(), end);
    at = ends.value_end(assign + 1);
    const bool is_last = at == end;
    if (at == assign + 1 || assign[1] == '~' || *key == '~' || head == kNameKeyHead) return {};
    if (head <= last_head) return {};
    if (!is_last && (*at != ';' || at + 1 == end)) return {};
    for (; added != added_end && added->key_head < head; ++added) to = put_pair(added->pair, to);
    if (added != added_end && added->key_head == head) {
      if (key_text.size() > kHeadBytes || added->key.size() > kHeadBytes) return {};
      ++added;  // the name's own value wins
    }
    last_head = head;
    to = put_pair({key, static_cast<size_t>(at - key)}, to);
    if (!is_last) ++at;
  }
  for (; added != added_end; ++added) to = put_pair(added->pair, to);
  const auto size = static_cast<size_t>(to - begin);
  return {batch.room(size), size};
}

Verdict<Refusal> AddedTags::add_to(TagList& list, Batch& batch) const {
  for (const Tag& tag : tags_) {
    const auto verdict = list.add_default(tag.key, tag.pair.substr(tag.key.size() + 1), batch);
    if (verdict.is_refused()) return verdict;
  }
  return kAccepted;
}

}  // namespace statmill
