// See tagged_name.h. Names are nearly all ASCII, and most clients write their tags in the same order each
// time; what is neither takes the slower road.
#include "proto/tagged_name.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "proto/line_text.h"

namespace statmill {
namespace {

constexpr std::string_view kNameKey = "name";
constexpr std::string_view kFlagValue = "true";

// The top bit of each byte below 33 or above 126; some above the lowest of them may be wrong.
uint64_t odd_bytes(uint64_t word) { return ((word - 33 * kOnes) | word | (word + kOnes)) & (0x80 * kOnes); }

uint64_t word_at(const char* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

bool is_plain(char c) { return 33 <= c && c <= 126; }

bool is_plain_text(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  if (text.size() < sizeof(uint64_t)) return std::all_of(at, end, is_plain);
  for (; end - at > 8; at += 8) {
    if (odd_bytes(word_at(at)) != 0) return false;
  }
  return odd_bytes(word_at(end - 8)) == 0;
}

// Bytes of the UTF-8 sequence (RFC 3629) that `text` begins with, above ASCII; 0 when there is none.
size_t sequence_size(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text.front());
  const auto size = static_cast<size_t>(std::countl_one(lead));
  if (size < 2 || size > 4 || text.size() < size) return 0;
  uint32_t point = lead & (0x7fU >> size);
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if ((byte & 0xc0) != 0x80) return 0;
    point = point << 6 | (byte & 0x3fU);
  }
  constexpr std::array<uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};  // less has a shorter sequence
  const bool is_surrogate = 0xd800 <= point && point <= 0xdfff;
  return point < kLeast[size] || point > 0x10ffff || is_surrogate ? 0 : size;
}

constexpr std::string_view kNoKeyBytes = ";!^=";

// For each byte, whether it is one of `bytes`.
constexpr std::array<bool, 256> table_of(std::string_view bytes) {
  std::array<bool, 256> table{};
  for (const char c : bytes) table[static_cast<uint8_t>(c)] = true;
  return table;
}

// The first byte in [at, end) that is in the table, or end. Byte by byte, since keys and values are short.
const char* find_any(const char* at, const char* end, const std::array<bool, 256>& table) {
  while (at != end && !table[static_cast<uint8_t>(*at)]) ++at;
  return at;
}

std::string_view text_between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

// Below, at or above 0, as a is before, the same as, or behind b.
int compare(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  for (size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return static_cast<uint8_t>(a[i]) - static_cast<uint8_t>(b[i]);
  }
  return static_cast<int>(a.size() > b.size()) - static_cast<int>(a.size() < b.size());
}

// Copies a word at a time, the last one over the one before; returns the end of the copy.
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

// For texts of a few bytes: there a call of memcpy costs more.
char* copy_short(std::string_view text, char* to) {
  if (text.size() >= 8) return copy_words<8>(text, to);
  if (text.size() >= 4) return copy_words<4>(text, to);
  for (const char c : text) *to++ = c;
  return to;
}

}  // namespace

bool is_clean_text(std::string_view text) {
  if (is_plain_text(text)) return true;
  while (!text.empty()) {
    const size_t size = is_plain(text.front()) ? 1 : sequence_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string_view without_tilde(std::string_view path) {
  while (path.starts_with('~')) path.remove_prefix(1);
  return path;
}

size_t plain_path_size(std::string_view text) {
  // With the last bit set, : is a ; as well.
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; end - at >= 8; at += 8) {
    const uint64_t word = word_at(at);
    const uint64_t not_colon = (word | kOnes) ^ (kOnes * ';');
    const uint64_t not_comma = word ^ (kOnes * ',');
    const uint64_t found = odd_bytes(word) | zero_bytes(not_colon) | zero_bytes(not_comma);
    if (found != 0) return static_cast<size_t>(at - text.data() + std::countr_zero(found) / 8);
  }
  while (at != end && is_plain(*at) && *at != ':' && *at != ';' && *at != ',') ++at;
  return static_cast<size_t>(at - text.data());
}

bool are_canonical_tags(std::string_view text) {
  static constexpr auto kKeyEnds = table_of(kNoKeyBytes);
  const char* at = text.data();
  const char* const end = at + text.size();
  std::string_view last_key;
  for (size_t count = 0; count < kTagsMax; ++count) {
    const char* const assign = find_any(at, end, kKeyEnds);
    if (assign == end || *assign != '=') return false;
    const std::string_view key = text_between(at, assign);
    if (compare(last_key, key) >= 0 || key == kNameKey) return false;
    at = find_byte(assign + 1, end, ';');
    if (at == assign + 1 || assign[1] == '~') return false;
    if (at == end) return true;
    ++at;
    last_key = key;
  }
  return false;
}

std::optional<Refusal> TagList::add(std::string_view key, std::string_view value) {
  static constexpr auto kNoKeyByte = table_of(kNoKeyBytes);
  const char* const key_end = key.data() + key.size();
  const char* const value_end = value.data() + value.size();
  if (find_any(key.data(), key_end, kNoKeyByte) != key_end) return Refusal::kBadTag;
  if (find_byte(value.data(), value_end, ';') != value_end) return Refusal::kBadTag;
  return insert({key.data(), value.data(), static_cast<uint32_t>(key.size()),
                 static_cast<uint32_t>(value.size()), false});
}

std::optional<Refusal> TagList::add_all(std::string_view text, TagSpelling spelling) {
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
std::optional<Refusal> TagList::add_pairs(std::string_view text) {
  static constexpr std::array<char, 6> kKeyEndBytes = {kSeparator, kAssign, ';', '!', '^', '='};
  static constexpr auto kKeyEnds = table_of({kKeyEndBytes.data(), kKeyEndBytes.size()});
  static constexpr std::array<char, 2> kValueEndBytes = {kSeparator, ';'};
  static constexpr auto kValueEnds = table_of({kValueEndBytes.data(), kValueEndBytes.size()});
  static constexpr bool kHasFlags = kAssign == ':';
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    const char* const begin = at;
    at = find_any(at, end, kKeyEnds);
    Tag tag{begin, nullptr, static_cast<uint32_t>(at - begin), 0, false};
    if (at != end && *at == kAssign) {
      tag.value = ++at;
      at = find_any(at, end, kValueEnds);
      tag.value_size = static_cast<uint32_t>(at - tag.value);
      tag.is_pair = true;
    } else if (kHasFlags) {
      tag.value = kFlagValue.data();
      tag.value_size = static_cast<uint32_t>(kFlagValue.size());
    }
    if (at != end && *at != kSeparator) return Refusal::kBadTag;
    const bool says_nothing = kHasFlags && at == begin;
    if (!says_nothing) {
      if (const auto refusal = insert(tag)) return refusal;
    }
    if (at == end) return std::nullopt;
    ++at;
  }
}

std::optional<Refusal> TagList::insert(const Tag& tag) {
  const std::string_view key = tag.key_text();
  const std::string_view value = tag.value_text();
  if (key.empty() || key == kNameKey || value.empty() || value.front() == '~') return Refusal::kBadTag;
  size_t place = count_;
  for (; place > 0; --place) {
    const Tag& before = tags_[place - 1];
    const int order = compare(before.key_text(), key);
    if (order < 0) break;
    if (order == 0 && before.value_text() == value) return std::nullopt;
    if (order == 0) return Refusal::kDuplicateTag;
  }
  if (count_ == kTagsMax) return Refusal::kTagLimit;
  for (size_t i = count_; i > place; --i) tags_[i] = tags_[i - 1];
  tags_[place] = tag;
  ++count_;
  tags_size_ += key.size() + value.size() + std::string_view(";=").size();
  return std::nullopt;
}

std::string_view TagList::name(std::string_view path, Batch& batch) const {
  const size_t size = name_size(path);
  char* const begin = batch.room(size);
  char* at = copy_short(path, begin);
  for (size_t i = 0; i < count_; ++i) {
    const Tag& tag = tags_[i];
    *at++ = ';';
    char* const assign = at + tag.key_size;
    if (tag.is_pair) {
      at = copy_short(tag.pair_text(), at);
    } else {
      copy_short(tag.key_text(), at);
      at = copy_short(tag.value_text(), assign + 1);
    }
    *assign = '=';
  }
  return {begin, size};
}

}  // namespace statmill
