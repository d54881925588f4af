#include "proto/prometheus/series_name.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/bytes16.h"
#include "base/hidden_characters.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

constexpr size_t kSpareBytes = sizeof(Bytes16);  // after a name, which is read in whole blocks

bool is_too_long(const LabelView& label) {
  return label.name.size() > kNameBytesMax || label.value.size() > kNameBytesMax;
}

// Compares names that mostly differ in their first byte.
bool ascends(std::string_view before, std::string_view name) {
  if (before.empty() || name.empty()) return before.empty() && !name.empty();
  return before.front() == name.front()
             ? before < name
             : static_cast<uint8_t>(before.front()) < static_cast<uint8_t>(name.front());
}

// Copies a text that is mostly short, for which a call of memcpy() takes most of the time.
[[gnu::always_inline]] inline void append(char*& at, std::string_view text) {
  const size_t size = text.size();
  const auto copy_ends = [&](auto bytes) {
    std::memcpy(at, text.data(), bytes);
    std::memcpy(at + size - bytes, text.data() + size - bytes, bytes);
  };
  if (size > 64) {
    std::memcpy(at, text.data(), size);
  } else if (size >= 32) {
    copy_ends(std::integral_constant<size_t, 32>());
  } else if (size >= 16) {
    copy_ends(std::integral_constant<size_t, 16>());
  } else if (size >= 8) {
    copy_ends(std::integral_constant<size_t, 8>());
  } else if (size >= 4) {
    copy_ends(std::integral_constant<size_t, 4>());
  } else {
    for (size_t i = 0; i < size; ++i) at[i] = text[i];
  }
  at += size;
}

// The name of labels that ascend.
struct PlainName {
  char* begin = nullptr;  // nullptr: the labels need sorting, or a refusal
  size_t size = 0;
  size_t tags = 0;
};

// Writes the name as it is if no part of it needs an escape, into spare memory of the batch, with kSpareBytes
// after it.
PlainName write_name(std::span<const LabelView> labels, Batch& batch) {
  const auto is_path = [](const LabelView& label) { return is_label(label, kNameLabel); };
  // It is the first one, unless there are labels that begin with a capital letter.
  const auto path = std::find_if(labels.begin(), labels.end(), is_path);
  if (path == labels.end() || path->value.empty()) return {};
  size_t size_max = kSpareBytes;
  for (const LabelView& label : labels) size_max += label.name.size() + label.value.size() + 2;
  if (size_max > 2 * kNameBytesMax) return {};
  PlainName out{batch.spare(size_max)};
  char* at = out.begin;
  append(at, path->value);
  std::string_view before;
  for (auto label = labels.begin(); label != labels.end(); ++label) {
    if (!ascends(before, label->name) || is_label(*label, "name")) return {};
    before = label->name;
    if (label->value.empty() || label == path) continue;
    *at++ = ';';
    append(at, label->name);
    *at++ = '=';
    append(at, label->value);
    ++out.tags;
  }
  out.size = static_cast<size_t>(at - out.begin);
  return out.size <= kNameBytesMax && out.tags <= kTagsMax ? out : PlainName{};
}

// Returns whether no byte of the name is one that its parts escape, and it has no more `;` and `=` than
// separate them.
bool is_unescaped(const PlainName& name) {
  std::memset(name.begin + name.size, 'a', kSpareBytes);
  Mask16 escaped{};
  static_assert(kNameBytesMax / sizeof(Bytes16) <= 128);
  Mask16 separators{};  // how many each of the 16 columns has, negated
  for (size_t i = 0; i < name.size; i += sizeof(Bytes16)) {
    const Bytes16 bytes = bytes16_at(name.begin + i);
    escaped |= odd_bytes(bytes) | (bytes == sixteen('%')) | (bytes == sixteen('!')) |
               (bytes == sixteen('^')) | (bytes == sixteen('~'));
    separators += (bytes == sixteen(';')) | (bytes == sixteen('='));
  }
  size_t count = 0;
  for (size_t column = 0; column < sizeof(separators); ++column)
    count += static_cast<uint8_t>(-separators[column]);
  return bits_of(escaped) == 0 && count == 2 * name.tags;
}

Refusal reason_of(std::span<const LabelView> labels, const Error& error) {
  if (error.code == ErrorCode::kLimit)
    return labels.size() > kTagsMax ? Refusal::kTagLimit : Refusal::kNameTooLong;
  bool has_path = false;
  for (const LabelView& label : labels) {
    if (label.name.empty() || has_hidden_character(label.name) || has_hidden_character(label.value))
      return Refusal::kBadName;
    has_path = has_path || (label.name == kNameLabel && !label.value.empty());
  }
  return has_path ? Refusal::kDuplicateTag : Refusal::kEmptyName;
}

}  // namespace

Verdict<Refusal> read_series_name(std::span<const LabelView> labels, Batch& batch, std::string_view& name) {
  // Many series of a message may share one long text, which is not read for each of them.
  if (std::any_of(labels.begin(), labels.end(), is_too_long)) return Refusal::kNameTooLong;
  if (const PlainName plain = write_name(labels, batch); plain.begin != nullptr && is_unescaped(plain)) {
    name = {batch.room(plain.size), plain.size};
    return kAccepted;
  }
  LabelPairs pairs;
  pairs.reserve(labels.size());
  for (const LabelView& label : labels) pairs.emplace_back(label.name, label.value);
  const Result<std::string> whole = canonical_name(pairs);
  if (!whole) return reason_of(labels, whole.error());
  name = batch.keep(*whole);
  return kAccepted;
}

}  // namespace statmill
