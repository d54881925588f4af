#include "proto/prometheus/series_name.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/hidden_characters.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

// Bytes that no part of a name escapes.
constexpr std::array<bool, 256> plain_bytes() {
  std::array<bool, 256> plain{};
  for (size_t c = 33; c < 127; ++c) plain[c] = true;
  for (const char c : std::string_view("%;!^=~")) plain[static_cast<uint8_t>(c)] = false;
  return plain;
}
constexpr std::array<bool, 256> kPlain = plain_bytes();

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return kPlain[static_cast<uint8_t>(c)]; });
}

bool is_too_long(const LabelView& label) {
  return label.name.size() > kNameBytesMax || label.value.size() > kNameBytesMax;
}

// Returns the bytes of the name, or 0 if it needs escapes, sorting or a refusal.
size_t plain_name_size(std::span<const LabelView> labels) {
  size_t size = 0;
  size_t tags = 0;
  bool has_path = false;
  std::string_view before;
  for (const LabelView& label : labels) {
    if (label.name <= before || label.name == "name" || !is_plain(label.name) || !is_plain(label.value))
      return 0;
    before = label.name;
    if (label.value.empty()) continue;
    if (label.name == kNameLabel) {
      has_path = true;
      size += label.value.size();
    } else {
      ++tags;
      size += label.name.size() + label.value.size() + 2;
    }
  }
  return has_path && tags <= kTagsMax && size <= kNameBytesMax ? size : 0;
}

void append(char*& at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  at += text.size();
}

void write_plain_name(std::span<const LabelView> labels, char* at) {
  for (const LabelView& label : labels) {
    if (label.name == kNameLabel) append(at, label.value);
  }
  for (const LabelView& label : labels) {
    if (label.value.empty() || label.name == kNameLabel) continue;
    append(at, ";");
    append(at, label.name);
    append(at, "=");
    append(at, label.value);
  }
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
  if (const size_t size = plain_name_size(labels); size > 0) {
    char* const room = batch.room(size);
    write_plain_name(labels, room);
    name = {room, size};
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
