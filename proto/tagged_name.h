// Canonical names: `path;tag=value;...`, tags in the order of their keys' bytes: Graphite's form, as carbon
// 1.1.7 makes it but for what PROTOCOL.md lists. Shared by the dialects that have tags.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes16.h"
#include "proto/batch.h"

namespace statmill {

inline constexpr size_t kTagsMax = 32;  // of one name

// The first eight bytes, the first of them highest, of the key `name`, which stands for the path.
inline constexpr uint64_t kNameKeyHead = 0x6e616d6500000000;

// Those below 33 and above 126.
inline Mask16 odd_bytes(Bytes16 bytes) { return bytes - sixteen(33) > sixteen(126 - 33); }

// Bytes before the first that is below 33 or above 126, or `stop`; all of the text if there is none.
size_t plain_size(std::string_view text, char stop);

// Whether every byte may stand in a name: UTF-8, nothing below 33, no DEL. An empty text is clean.
bool is_clean_text(std::string_view text);

// The path without the ~ in front: as the value of the tag `name`, which it is, it may not begin so.
std::string_view without_tilde(std::string_view path);

// Bytes before the first that might be more than a byte of a plain path: one below 33 or above 126, or one of
// : ; and the comma. All the text if there is none.
inline size_t plain_path_size(std::string_view text) {
  const auto is_end = [](Bytes16 bytes) -> Mask16 {
    return odd_bytes(bytes) | (bytes == sixteen(':')) | (bytes == sixteen(';')) | (bytes == sixteen(','));
  };
  const char* const begin = text.data();
  return static_cast<size_t>(find_first(begin, begin, begin + text.size(), is_end) - begin);
}

// Whether `text` is tags as they stand behind a canonical path, its first ; not included. Some that are may
// be denied, so that keys which begin alike need not be compared. Requires: clean text.
bool are_canonical_tags(std::string_view text);

// How tags stand in a line.
enum class TagSpelling : uint8_t {
  kGraphite,  // k=v;k=v
  kInflux,    // k=v,k=v
  kDogStatsd  // k:v,flag: a flag's value is `true`, and nothing between commas says nothing
};

// The tags of one name. The texts added must be clean and outlive it.
class TagList {
 public:
  // Puts a tag in its place; a pair that is already there adds nothing. Refused: a key that is empty, or has
  // one of ;!^= in it, or is `name`, which stands for the path; a value that is empty, has a ; in it or
  // begins with ~ (kBadTag); another value of the same key (kDuplicateTag); more than kTagsMax (kTagLimit).
  std::optional<Refusal> add(std::string_view key, std::string_view value);
  // Adds every tag of a text.
  std::optional<Refusal> add_all(std::string_view text, TagSpelling spelling);

  // Bytes of the canonical name.
  size_t name_size(std::string_view path) const { return path.size() + tags_size_; }
  bool is_empty() const { return count_ == 0; }
  // The canonical name, kept by `batch`.
  std::string_view name(std::string_view path, Batch& batch) const;

 private:
  // Not string_views: those would be zeroed, which costs as much as reading the tags.
  struct Tag {
    const char* key;
    const char* value;
    uint64_t key_head;  // its first eight bytes, the first of them highest: they compare as the keys do
    uint32_t key_size;
    uint32_t value_size;

    std::string_view key_text() const { return {key, key_size}; }
    std::string_view value_text() const { return {value, value_size}; }
    bool is_pair() const { return value == key + key_size + 1; }  // one byte stands between key and value
    std::string_view pair_text() const { return {key, size_t{key_size} + 1 + value_size}; }
  };

  template <char kSeparator, char kAssign>
  std::optional<Refusal> add_pairs(std::string_view text);
  std::optional<Refusal> insert(const Tag& tag);
  std::optional<Refusal> insert_before(Tag tag);
  void put(const Tag& tag, size_t place);
  void write_run(char* at) const;
  void write_each(char* at) const;

  std::array<Tag, kTagsMax> tags_;          // the first count_ are set, as they came
  std::array<uint8_t, kTagsMax> in_order_;  // which of them comes first, second, ...
  size_t count_ = 0;
  size_t tags_size_ = 0;    // of all ";key=value"
  uint64_t last_head_ = 0;  // of the key that comes last
  bool is_run_ = true;      // they stand in the line as in the canonical name, but for the bytes between
};

}  // namespace statmill
