// Nearly all names are ASCII, and many clients write their tags sorted by key. These are the fast paths;
// other names and tags take slower ones.
#include "proto/tagged_name.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.h"
#include "proto/line_text.h"

namespace statmill {
namespace {

constexpr std::string_view kFlagValue = "true";

bool is_plain(char c) { return 33 <= c && c <= 126; }

bool is_plain_text(std::string_view text) {
  const char* const end = text.data() + text.size();
  return find_first(text.data(), text.data(), end, odd_bytes) == end;
}

// Finds where the keys and values of a text end, 64 bytes at a time.
template <char kSeparator, char kAssign>
class TagEnds {
 public:
  explicit TagEnds(std::string_view text) : begin_(text.data()), end_(begin_ + text.size()) { scan(begin_); }

  // Return the first byte from `at` on that is not allowed in a key or in a value, or the end of the text.
  // Requires: `at` is not before the last result.
  const char* key_end(const char* at) { return next(key_ends_, at); }
  const char* value_end(const char* at) { return next(value_ends_, at); }

 private:
  static constexpr int kBlock = 64;

  const char* next(const uint64_t& ends, const char* at) {
    const uint64_t found = at - block_ < kBlock ? ends >> (at - block_) : 0;
    return found != 0 ? at + std::countr_zero(found) : next_block(ends);
  }
  [[gnu::noinline]] const char* next_block(const uint64_t& ends) {
    do {
      scan(block_ + kBlock);
    } while (ends == 0);
    return block_ + std::countr_zero(ends);
  }

  void scan(const char* block) {
    block_ = block;
    const std::ptrdiff_t left = end_ - block;
    uint64_t value_ends = left < kBlock ? ~uint64_t{0} << left : 0;
    uint64_t key_ends = value_ends;
    for (int i = 0; i < kBlock && i < left; i += 16) {
      const Lane16 lane = lane16_at(begin_, block + i, end_);
      const Mask16 ends_value = (lane.bytes == sixteen(kSeparator)) | (lane.bytes == sixteen(';'));
      const Mask16 ends_key = ends_value | (lane.bytes == sixteen(kAssign)) | (lane.bytes == sixteen('=')) |
                              (lane.bytes == sixteen('!')) | (lane.bytes == sixteen('^'));
      value_ends |= lane.bits(ends_value) << i;
      key_ends |= lane.bits(ends_key) << i;
    }
    value_ends_ = value_ends;
    key_ends_ = key_ends;
  }

  const char* const begin_;
  const char* const end_;
  const char* block_ = nullptr;  // the block that the masks describe
  uint64_t key_ends_ = 0;        // one bit per byte; all bits after the end of the text are set
  uint64_t value_ends_ = 0;      // the same for values
};

// Returns the first eight bytes of a text, the first one highest, padded with zeros. Requires: the text is in
// [begin, end), which is readable.
inline uint64_t head_of(std::string_view text, const char* begin, const char* end) {
  if (text.empty()) return 0;
  const uint64_t head = __builtin_bswap64(word_at(begin, text.data(), end));
  const int padding = 64 - 8 * std::min(static_cast<int>(text.size()), 8);
  return head >> padding << padding;
}
uint64_t head_of(std::string_view text) { return head_of(text, text.data(), text.data() + text.size()); }

// Copies a word at a time; the last word may overlap the one before. Returns the end of the copy.
template <size_t kWordBytes>
char* copy_words(std::string_view text, char* to) {
  const char* const last = text.data() + text.size() - kWordBytes;
  char* const to_last = to + text.size() - kWordBytes;
  for (const char* at = text.data(); at < last; at += kWordBytes, to += kWordBytes) {
    std::memcpy(to, at, kWordBytes);
  }
  std::memcpy(to_last, last, kWordBytes);
  return to_last + kWordBytes;
}

// Cheaper than a call of memcpy for texts of a few bytes.
char* copy_short(std::string_view text, char* to) {
  if (text.size() >= 16) return copy_words<16>(text, to);
  if (text.size() >= 8) return copy_words<8>(text, to);
  if (text.size() >= 4) return copy_words<4>(text, to);
  for (const char c : text) *to++ = c;
  return to;
}

}  // namespace

bool is_clean_text(std::string_view text) {
  if (is_plain_text(text)) return true;
  while (!text.empty()) {
    const bool is_ascii = static_cast<uint8_t>(text.front()) < 0x80;
    const size_t size = is_ascii ? (is_plain(text.front()) ? 1 : 0) : utf8_length(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
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
    if (head <= last_head || head == kNameKeyHead) return false;
    at = ends.value_end(assign + 1);
    if (at == assign + 1 || assign[1] == '~') return false;
    if (at == end) return true;
    ++at;
    last_head = head;
  }
  return false;
}

Verdict<Refusal> TagList::add(std::string_view key, std::string_view value) {
  const char* const key_end = key.data() + key.size();
  const char* const value_end = value.data() + value.size();
  if (TagEnds<';', '='>(key).key_end(key.data()) != key_end) return Refusal::kBadTag;
  if (TagEnds<';', '='>(value).value_end(value.data()) != value_end) return Refusal::kBadTag;
  is_run_ = false;
  return insert({key.data(), value.data(), head_of(key), static_cast<uint32_t>(key.size()),
                 static_cast<uint32_t>(value.size())});
}

Verdict<Refusal> TagList::add_all(std::string_view text, TagSpelling spelling) {
  switch (spelling) {
    case TagSpelling::kGraphite:
      return add_pairs<';', '='>(text);
    case TagSpelling::kInflux:
      return add_pairs<',', '='>(text);
    case TagSpelling::kDogStatsd:
      return add_pairs<',', ':'>(text);
  }
  return Refusal::kBadTag;
}

template <char kSeparator, char kAssign>
Verdict<Refusal> TagList::add_pairs(std::string_view text) {
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
    if (at != end && *at != kSeparator) return Refusal::kBadTag;
    const bool is_empty_tag = kHasFlags && at == begin;
    if (!is_empty_tag) {
      const auto verdict = insert({key.data(), value.data(), head_of(key, text.data(), end),
                                   static_cast<uint32_t>(key.size()), static_cast<uint32_t>(value.size())});
      if (verdict.is_refused()) return verdict;
    }
    if (at == end) return kAccepted;
    begin = at + 1;
  }
}

inline Verdict<Refusal> TagList::insert(const Tag& tag) {
  if (tag.key_size == 0 || tag.value_size == 0 || *tag.value == '~') return Refusal::kBadTag;
  if (tag.key_head == kNameKeyHead) return Refusal::kBadTag;
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
