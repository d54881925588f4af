#include "proto/graphite/fields.h"

#include <algorithm>

#include "proto/line_text.h"
#include "proto/name_escapes.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

// Reads the value of an OpenMetrics label up to its closing quote and removes both from `text`. Returns
// nullopt if there is no closing quote or an escape is not valid.
std::optional<std::string_view> read_quoted(std::string_view& text, Batch& batch) {
  size_t end = 0;
  size_t escapes = 0;
  for (; end < text.size() && text[end] != '"'; ++end) {
    if (text[end] != '\\') continue;
    ++escapes;
    if (++end == text.size() || (text[end] != '"' && text[end] != '\\')) return std::nullopt;
  }
  if (end == text.size()) return std::nullopt;
  std::string_view value = text.substr(0, end);
  text.remove_prefix(end + 1);
  if (escapes == 0) return value;
  char* const begin = batch.room(value.size() - escapes);
  char* at = begin;
  for (size_t i = 0; i < value.size(); ++i) *at++ = value[i] == '\\' ? value[++i] : value[i];
  return std::string_view(begin, value.size() - escapes);
}

// Reads the labels between the braces, `a="1",b="2"`.
Verdict<Refusal> read_labels(std::string_view text, TagList& tags, Batch& batch) {
  while (true) {
    const size_t assign = text.find("=\"");
    if (assign == std::string_view::npos) return Refusal::kBadTag;
    const std::string_view key = text.substr(0, assign);
    text.remove_prefix(assign + 2);
    const auto value = read_quoted(text, batch);
    if (!value) return Refusal::kBadTag;
    if (const auto verdict = tags.add(key, *value, batch); verdict.is_refused()) return verdict;
    if (text.empty()) return kAccepted;
    if (text.front() != ',') return Refusal::kBadTag;
    text.remove_prefix(1);
  }
}

// Reads a name that may have to be rewritten.
Verdict<Refusal> rewrite_name(std::string_view text, Batch& batch, std::string_view& name) {
  if (!is_text(text)) return Refusal::kBadName;
  const size_t path_end = std::min(text.find(';'), text.size());
  const size_t brace = text.ends_with("\"}") ? text.find('{') : std::string_view::npos;
  const bool has_labels = brace != std::string_view::npos;
  std::string_view path = without_tilde(text.substr(0, std::min(brace, path_end)));
  if (path.empty()) return Refusal::kEmptyName;
  if (const auto verdict = spell_part(path, NamePart::kPath, batch, path); verdict.is_refused())
    return verdict;
  TagList tags;
  Verdict<Refusal> verdict = kAccepted;
  if (has_labels) {
    if (path_end < brace) return Refusal::kBadTag;
    verdict = read_labels(text.substr(brace + 1, text.size() - brace - 2), tags, batch);
  } else if (path_end != text.size()) {
    verdict = tags.add_all(text.substr(path_end + 1), TagSpelling::kGraphite, batch);
  }
  if (verdict.is_refused()) return verdict;
  if (tags.name_size(path) > kNameBytesMax) return Refusal::kNameTooLong;
  name = tags.name(path, batch);
  return kAccepted;
}

}  // namespace

Verdict<Refusal> read_graphite_name(std::string_view text, Batch& batch, std::string_view& name) {
  if (text.empty()) return Refusal::kEmptyName;
  if (!is_canonical_graphite_name(text)) return rewrite_name(text, batch, name);
  if (text.size() > kNameBytesMax) return Refusal::kNameTooLong;
  name = text;
  return kAccepted;
}

Verdict<Refusal> read_graphite_time(std::string_view text, std::optional<int64_t>& time_s) {
  int64_t seconds = 0;
  if (parse_integer(text, seconds).is_accepted()) {
    if (seconds != -1) time_s = seconds;
    return kAccepted;
  }
  if (text == "N") return kAccepted;
  Number number;
  if (parse_number(text, number).is_refused()) return Refusal::kBadTime;
  return read_graphite_time(number.value(), time_s);
}

Verdict<Refusal> read_graphite_time(double time, std::optional<int64_t>& time_s) {
  constexpr double kSecondsEnd = 0x1p63;
  if (!(-kSecondsEnd <= time && time < kSecondsEnd)) return Refusal::kBadTime;  // also if it is not a number
  if (time != -1) time_s = static_cast<int64_t>(time);
  return kAccepted;
}

}  // namespace statmill
