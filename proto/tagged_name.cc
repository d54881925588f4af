// Nearly all names are ASCII, and many clients write their tags sorted by key. These are the fast paths;
// other names and tags take slower ones.
#include "proto/tagged_name.h"

#include <algorithm>

#include "base/hidden_characters.h"
#include "base/text.h"
#include "proto/name_escapes.h"
#include "proto/tag_text.h"

namespace statmill {
namespace {

constexpr std::string_view kFlagValue = "true";

bool is_plain(char c) { return 33 <= c && c <= 126; }

bool is_plain_text(std::string_view text) {
  const char* const end = text.data() + text.size();
  return find_first(text.data(), text.data(), end, odd_bytes) == end;
}

}  // namespace

bool is_text(std::string_view text) {
  if (is_plain_text(text)) return true;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t size = utf8_length(rest);
    if (size == 0 || (size == 1 && !is_plain(rest.front()) && rest.front() != ' ')) return false;
    rest.remove_prefix(size);
  }
  return !has_hidden_character(text);
}

bool is_clean_text(std::string_view text) {
  return is_plain_text(text) || (is_text(text) && text.find(' ') == std::string_view::npos);
}

std::string_view without_tilde(std::string_view path) {
  while (path.starts_with('~')) path.remove_prefix(1);
  return path;
}

size_t plain_size(std::string_view text, char stop) {
  const auto is_end = [stop](Bytes16 bytes) -> Mask16 { return odd_bytes(bytes) | (bytes == sixteen(stop)); };
  const char* const begin = text.data();
  return static_cast<size_t>(find_first(begin, begin, begin + text.size(), is_end) - begin);
}

bool are_canonical_tags(std::string_view text) {
  const char* const end = text.data() + text.size();
  TagEnds<';', '='> ends(text);
  const char* at = text.data();
  uint64_t last_head = 0;
  for (size_t count = 0; count < kTagsMax; ++count) {
    const char* const assign = ends.key_end(at);
    if (assign == end || *assign != '=') return false;
    const uint64_t head = head_of({at, static_cast<size_t>(assign - at)}, text.data(), end);
    if (head <= last_head || head == kNameKeyHead || *at == '~') return false;
    at = ends.value_end(assign + 1);
    if (at == assign + 1 || assign[1] == '~') return false;
    if (at == end) return true;
    if (*at != ';') return false;
    ++at;
    last_head = head;
  }
  return false;
}

Verdict<Refusal> TagList::add(std::string_view key, std::string_view value, Batch& batch) {
  Tag tag;
  if (const auto verdict = spell(key, value, batch, tag); verdict.is_refused()) return verdict;
  is_run_ = false;
  return insert(tag);
}

Verdict<Refusal> TagList::add_default(std::string_view key, std::string_view value, Batch& batch) {
  Tag tag;
  if (const auto verdict = spell(key, value, batch, tag); verdict.is_refused()) return verdict;
  const auto has_key = [&](const Tag& other) {
    return other.key_head == tag.key_head && other.key_text() == tag.key_text();
  };
  if (std::any_of(tags_.data(), tags_.data() + count_, has_key)) return kAccepted;
  is_run_ = false;
  return insert(tag);
}

// Sets `tag` to the canonical spelling of a tag.
Verdict<Refusal> TagList::spell(std::string_view key, std::string_view value, Batch& batch, Tag& tag) {
  if (key.empty() || value.empty()) return Refusal::kBadTag;
  if (const auto verdict = spell_part(key, NamePart::kKey, batch, key); verdict.is_refused()) return verdict;
  if (const auto verdict = spell_part(value, NamePart::kValue, batch, value); verdict.is_refused())
    return verdict;
  tag = {key.data(), value.data(), head_of(key), static_cast<uint32_t>(key.size()),
         static_cast<uint32_t>(value.size())};
  return kAccepted;
}

Verdict<Refusal> TagList::add_all(std::string_view text, TagSpelling spelling, Batch& batch) {
  switch (spelling) {
    case TagSpelling::kGraphite:
      return add_pairs<';', '='>(text, batch);
    case TagSpelling::kInflux:
      return add_pairs<',', '='>(text, batch);
    case TagSpelling::kDogStatsd:
      return add_pairs<',', ':'>(text, batch);
  }
  return Refusal::kBadTag;
}

template <char kSeparator, char kAssign>
Verdict<Refusal> TagList::add_pairs(std::string_view text, Batch& batch) {
  static constexpr bool kHasFlags = kAssign == ':';
  if (count_ != 0) is_run_ = false;
  const char* const end = text.data() + text.size();
  TagEnds<kSeparator, kAssign> ends(text);
  for (const char* begin = text.data();;) {
    const char* at = ends.key_end(begin);
    const std::string_view key(begin, static_cast<size_t>(at - begin));
    std::string_view value;
    if (at != end && *at == kAssign) {
      const char* const value_begin = at + 1;
      at = ends.value_end(value_begin);
      value = std::string_view(value_begin, static_cast<size_t>(at - value_begin));
    } else {
      is_run_ = false;
      if (kHasFlags) value = kFlagValue;
    }
    const uint64_t head = head_of(key, text.data(), end);
    const bool is_empty_tag = kHasFlags && at == begin && (at == end || *at == kSeparator);
    const bool is_usual = (at == end || *at == kSeparator) && head != kNameKeyHead &&
                          !value.starts_with('~') && !key.starts_with('~');
    Verdict<Refusal> verdict = kAccepted;
    if (is_usual) [[likely]] {
      if (!is_empty_tag)
        verdict = insert({key.data(), value.data(), head, static_cast<uint32_t>(key.size()),
                          static_cast<uint32_t>(value.size())});
    } else {
      at = std::find(at, end, kSeparator);
      ends.move_to(at);
      verdict = add_odd_tag({begin, static_cast<size_t>(at - begin)}, kAssign, batch);
    }
    if (verdict.is_refused()) return verdict;
    if (at == end) return kAccepted;
    begin = at + 1;
  }
}

// Adds a tag that may have to be escaped.
Verdict<Refusal> TagList::add_odd_tag(std::string_view text, char assign, Batch& batch) {
  const size_t key_size = std::min(text.find(assign), text.size());
  std::string_view value = text.substr(std::min(key_size + 1, text.size()));
  if (key_size == text.size() && assign == ':') value = kFlagValue;
  return add(text.substr(0, key_size), value, batch);
}

inline Verdict<Refusal> TagList::insert(const Tag& tag) {
  if (tag.key_size == 0 || tag.value_size == 0) return Refusal::kBadTag;
  if (count_ != 0 && tag.key_head <= last_head_) return insert_before(tag);
  if (count_ == kTagsMax) return Refusal::kTagLimit;
  last_head_ = tag.key_head;
  put(tag, count_);
  return kAccepted;
}

// Inserts a tag that may not be the last one in sorted order.
Verdict<Refusal> TagList::insert_before(Tag tag) {
  size_t place = count_;
  for (; place > 0; --place) {
    const Tag& before = tags_[in_order_[place - 1]];
    if (before.key_head > tag.key_head) continue;
    const int order = before.key_head < tag.key_head ? -1 : before.key_text().compare(tag.key_text());
    if (order < 0) break;
    if (order > 0) continue;
    if (before.value_text() != tag.value_text()) return Refusal::kDuplicateTag;
    is_run_ = false;
    return kAccepted;
  }
  if (count_ == kTagsMax) return Refusal::kTagLimit;
  if (place != count_) is_run_ = false;
  for (size_t i = count_; i > place; --i) in_order_[i] = in_order_[i - 1];
  put(tag, place);
  return kAccepted;
}

inline void TagList::put(const Tag& tag, size_t place) {
  tags_.data()[count_] = tag;
  in_order_.data()[place] = static_cast<uint8_t>(count_++);
  tags_size_ += size_t{tag.key_size} + tag.value_size + std::string_view(";=").size();
}

std::string_view TagList::name(std::string_view path, Batch& batch) const {
  const size_t size = name_size(path);
  char* const begin = batch.room(size);
  char* const tags = copy_short(path, begin);
  count_ != 0 && is_run_ ? write_run(tags) : write_each(tags);
  return {begin, size};
}

// Copies all tags at once, then replaces the separators.
void TagList::write_run(char* at) const {
  copy_short({tags_[0].key, tags_size_ - 1}, at + 1);
  for (size_t i = 0; i < count_; ++i) {
    *at = ';';
    at += 1 + tags_[i].key_size;
    *at = '=';
    at += 1 + tags_[i].value_size;
  }
}

void TagList::write_each(char* at) const {
  for (size_t i = 0; i < count_; ++i) {
    const Tag& tag = tags_[in_order_[i]];
    *at++ = ';';
    char* const assign = at + tag.key_size;
    if (tag.is_pair()) {
      at = copy_short(tag.pair_text(), at);
    } else {
      copy_short(tag.key_text(), at);
      at = copy_short(tag.value_text(), assign + 1);
    }
    *assign = '=';
  }
}

}  // namespace statmill
