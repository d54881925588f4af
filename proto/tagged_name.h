// Canonical names, `path;tag=value;...`, with tags sorted by the bytes of their keys. This is Graphite's
// form, as carbon 1.1.7 writes it; PROTOCOL.md lists the differences. Shared by all dialects with tags.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes16.h"
#include "base/verdict.h"
#include "proto/batch.h"

namespace statmill {

inline constexpr size_t kTagsMax = 64;  // per name

// The bytes of the key `name` (which means the path), the first byte highest, padded with zeros to eight.
inline constexpr uint64_t kNameKeyHead = 0x6e616d6500000000;

// Marks the bytes below 33 and above 126.
inline Mask16 odd_bytes(Bytes16 bytes) { return bytes - sixteen(33) > sixteen(126 - 33); }

// Returns the number of bytes before the first that is below 33, above 126
// or `stop`; text.size() if there is none.
size_t plain_size(std::string_view text, char stop);

// Returns true if the text is valid UTF-8 without control bytes and hidden characters
// (base/hidden_characters.h). Blanks and the empty text are allowed.
bool is_text(std::string_view text);
// Returns true if all bytes are allowed in a name: a text, as above, without blanks.
bool is_clean_text(std::string_view text);

// Returns the path without a leading ~: the path is the value of the tag
// `name`, and no tag value may begin with ~.
std::string_view without_tilde(std::string_view path);

// Returns the number of bytes before the first that is below 33, above 126, or one of `:`, `;`, `,` and `%`;
// text.size() if there is none.
inline size_t plain_path_size(std::string_view text) {
  const auto is_end = [](Bytes16 bytes) -> Mask16 {
    return odd_bytes(bytes) | (bytes == sixteen(':')) | (bytes == sixteen(';')) | (bytes == sixteen(',')) |
           (bytes == sixteen('%'));
  };
  const char* const begin = text.data();
  return static_cast<size_t>(find_first(begin, begin, begin + text.size(), is_end) - begin);
}

// Returns true if `text` is the tags of a canonical name, without the first ;. May return false for some
// canonical texts, to avoid more work: those with a `%`, `!` or `$`, and those whose keys share their
// first eight bytes. Requires: is_text(text).
bool are_canonical_tags(std::string_view text);

// How a dialect writes tags in a line.
enum class TagSpelling : uint8_t {
  kGraphite,  // k=v;k=v
  kInflux,    // k=v,k=v
  kDogStatsd  // k:v,flag: a flag has the value `true`; empty tags between commas are ignored
};

// The tags of one name. Their texts must outlive the list and satisfy is_text().
class TagList {
 public:
  // Adds a tag in sorted order, in its canonical spelling (proto/name_escapes.h), which `batch` keeps if it
  // differs from the text; a pair that is already in the list adds nothing. Refuses with kBadTag an empty
  // key or value; with kBadName a hidden character that is written as an escape; with kDuplicateTag a second
  // value for a key; with kTagLimit more than kTagsMax tags.
  Verdict<Refusal> add(std::string_view key, std::string_view value, Batch& batch);
  // Adds a tag unless the list has its key.
  Verdict<Refusal> add_default(std::string_view key, std::string_view value, Batch& batch);
  // Adds all tags of a text. The first sign of assignment ends a key, and a separator a tag.
  Verdict<Refusal> add_all(std::string_view text, TagSpelling spelling, Batch& batch);

  // Returns the size of name(path) in bytes.
  size_t name_size(std::string_view path) const { return path.size() + tags_size_; }
  bool is_empty() const { return count_ == 0; }
  // Returns the canonical name, which stays valid until batch.clear().
  std::string_view name(std::string_view path, Batch& batch) const;

 private:
  // Not string_views: zeroing those would cost as much as reading the tags.
  struct Tag {
    const char* key;
    const char* value;
    uint64_t key_head;  // the key's first eight bytes, the first one highest, so that heads sort like keys
    uint32_t key_size;
    uint32_t value_size;

    std::string_view key_text() const { return {key, key_size}; }
    std::string_view value_text() const { return {value, value_size}; }
    bool is_pair() const { return value == key + key_size + 1; }  // one byte separates key and value
    std::string_view pair_text() const { return {key, size_t{key_size} + 1 + value_size}; }
  };

  template <char kSeparator, char kAssign>
  Verdict<Refusal> add_pairs(std::string_view text, Batch& batch);
  Verdict<Refusal> add_odd_tag(std::string_view text, char assign, Batch& batch);
  static Verdict<Refusal> spell(std::string_view key, std::string_view value, Batch& batch, Tag& tag);
  Verdict<Refusal> insert(const Tag& tag);
  Verdict<Refusal> insert_before(Tag tag);
  void put(const Tag& tag, size_t place);
  void write_run(char* at) const;
  void write_each(char* at) const;

  std::array<Tag, kTagsMax> tags_;          // the first count_ are set, in order of arrival
  std::array<uint8_t, kTagsMax> in_order_;  // their indices, sorted by key
  size_t count_ = 0;
  size_t tags_size_ = 0;    // bytes of all ";key=value"
  uint64_t last_head_ = 0;  // key_head of the last key in sorted order
  bool is_run_ = true;      // the line has the tags in canonical order; only the separators may differ
};

}  // namespace statmill
