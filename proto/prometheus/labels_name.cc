#include "proto/prometheus/labels_name.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "proto/sample.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

// Returns the value of a hex digit, -1 for any other byte.
int hex_value(char c) {
  if ('0' <= c && c <= '9') return c - '0';
  if ('A' <= c && c <= 'F') return c - 'A' + 10;
  if ('a' <= c && c <= 'f') return c - 'a' + 10;
  return -1;
}

// Returns true if `text` has a % with two hex digits at `at`.
bool is_escape(std::string_view text, size_t at) {
  return text[at] == '%' && at + 2 < text.size() && hex_value(text[at + 1]) >= 0 &&
         hex_value(text[at + 2]) >= 0;
}

void append_escaped(std::string& out, char c) {
  const auto byte = static_cast<uint8_t>(c);
  out += '%';
  out += kHexDigits[byte >> 4];
  out += kHexDigits[byte & 15];
}

// Escapes what is not allowed anywhere, and the bytes of `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text.substr(i));
    const bool is_odd =
        length == 0 || (length == 1 && (static_cast<uint8_t>(text[i]) < 33 || text[i] == 127));
    if (length > 1) {
      out.append(text, i, length);
      i += length;
      continue;
    }
    if (is_odd || special.find(text[i]) != std::string_view::npos || is_escape(text, i) ||
        (i == 0 && text[i] == '~')) {
      append_escaped(out, text[i]);
    } else {
      out += text[i];
    }
    ++i;
  }
  return out;
}

}  // namespace

std::string escaped_path(std::string_view path) { return escaped(path, ";"); }
std::string escaped_value(std::string_view value) { return escaped(value, ";"); }
std::string escaped_key(std::string_view key) {
  return key == "name" ? std::string("%6Eame") : escaped(key, ";!^=");
}

bool has_escape(std::string_view text) {
  for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (is_escape(text, at)) return true;
  }
  return false;
}

std::string unescaped(std::string_view text) {
  if (text.find('%') == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_escape(text, i)) {
      out += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

Result<std::string> canonical_name(std::span<const LabelPair> labels) {
  std::string path;
  LabelPairs tags;  // escaped
  for (const auto& [label, value] : labels) {
    if (label.empty()) return Error{ErrorCode::kInvalid, "a label without a name"};
    if (value.empty()) continue;
    if (label != kNameLabel) {
      tags.push_back({escaped_key(label), escaped_value(value)});
    } else if (path.empty()) {
      path = escaped_path(value);
    } else {
      return Error{ErrorCode::kInvalid, "__name__ twice"};
    }
  }
  if (path.empty()) return Error{ErrorCode::kInvalid, "labels without __name__"};
  if (tags.size() > kTagsMax) return Error{ErrorCode::kLimit, "more than 64 labels"};
  std::sort(tags.begin(), tags.end());
  std::string name = std::move(path);
  for (size_t i = 0; i < tags.size(); ++i) {
    if (i > 0 && tags[i].first == tags[i - 1].first)
      return Error{ErrorCode::kInvalid, "label " + unescaped(tags[i].first) + " twice"};
    name.append(";").append(tags[i].first).append("=").append(tags[i].second);
  }
  if (name.size() > kNameBytesMax) return Error{ErrorCode::kLimit, "a name of more than 2048 bytes"};
  return name;
}

NameParts parts_of(std::string_view name) {
  NameParts parts;
  size_t at = name.find(';');
  parts.path = name.substr(0, at);
  constexpr size_t kTagsUsual = 16;  // more than most names have
  if (at < name.size()) parts.tags.reserve(kTagsUsual);
  while (at < name.size()) {
    const size_t end = std::min(name.find(';', at + 1), name.size());
    const std::string_view pair = name.substr(at + 1, end - at - 1);
    const size_t assign = pair.find('=');
    const std::string_view key = pair.substr(0, assign);
    const bool is_tag = assign != std::string_view::npos && !key.empty() && assign + 1 < pair.size() &&
                        (parts.tags.empty() || parts.tags.back().key < key) && parts.tags.size() < kTagsMax;
    if (!is_tag) return {name, {}};
    parts.tags.push_back({key, pair.substr(assign + 1)});
    at = end;
  }
  return parts;
}

LabelPairs labels_of(std::string_view name) {
  const NameParts parts = parts_of(name);
  LabelPairs labels;
  labels.reserve(parts.tags.size() + 1);
  labels.emplace_back(kNameLabel, unescaped(parts.path));
  for (const NameParts::Tag& tag : parts.tags) labels.emplace_back(unescaped(tag.key), unescaped(tag.value));
  const auto is_before = [](const LabelPair& a, const LabelPair& b) { return a.first < b.first; };
  // `__name__` is before most keys, so few need the sort, which allocates.
  if (!std::is_sorted(labels.begin(), labels.end(), is_before))
    std::stable_sort(labels.begin(), labels.end(), is_before);
  const auto same = [](const LabelPair& a, const LabelPair& b) { return a.first == b.first; };
  labels.erase(std::unique(labels.begin(), labels.end(), same), labels.end());
  return labels;
}

}  // namespace statmill
