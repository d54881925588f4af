// A name that is already canonical, with or without tags, is not copied.
#include "proto/graphite/parser.h"

#include <algorithm>
#include <optional>

#include "proto/fast_fields.h"
#include "proto/fast_number.h"
#include "proto/line_text.h"
#include "proto/name_escapes.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

using LineFields = Fields<3>;  // name, value, time

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

// Returns true if the whole text is a canonical name.
bool is_canonical(std::string_view text) {
  if (text.front() == '~' || text.ends_with("\"}")) return false;
  const size_t path_size = plain_path_size(text);
  if (path_size == text.size()) return true;
  const std::string_view tags = text.substr(path_size + 1);
  return path_size > 0 && text[path_size] == ';' && is_clean_text(tags) && are_canonical_tags(tags);
}

Verdict<Refusal> read_name(std::string_view text, Batch& batch, std::string_view& name) {
  if (!is_canonical(text)) return rewrite_name(text, batch, name);
  if (text.size() > kNameBytesMax) return Refusal::kNameTooLong;
  name = text;
  return kAccepted;
}

// carbon parses the time as a float; -1 means now, and other times are truncated to whole
// seconds. N is rrdtool's spelling of now.
Verdict<Refusal> read_time(std::string_view text, std::optional<int64_t>& time_s) {
  int64_t seconds = 0;
  if (parse_integer(text, seconds).is_accepted()) {
    if (seconds != -1) time_s = seconds;
    return kAccepted;
  }
  if (text == "N") return kAccepted;
  constexpr double kSecondsEnd = 0x1p63;
  Number number;
  if (parse_number(text, number).is_refused()) return Refusal::kBadTime;
  const double time = number.value();
  if (time < -kSecondsEnd || time >= kSecondsEnd) return Refusal::kBadTime;
  if (time != -1) time_s = static_cast<int64_t>(time);
  return kAccepted;
}

// Parses a line of the common form: a canonical name, a short number and a time, separated by single spaces,
// then LF. Returns the begin of the next line. Returns nullptr and does nothing if the line has another form
// or is near the end of the text.
const char* parse_line_fast(const char* begin, const char* end, RepeatedTime& last_time, Batch& batch) {
  const char* name_end = begin + plain_path_size({begin, static_cast<size_t>(end - begin)});
  if (name_end != end && *name_end == ';') name_end = find_space(name_end, end);
  const std::string_view name(begin, static_cast<size_t>(name_end - begin));
  if (end - name_end < 2 * (1 + kFastFieldRoom) || *name_end != ' ') return nullptr;
  if (name.empty() || name.size() > kNameBytesMax || !is_canonical(name)) return nullptr;
  const FastField value = FastField::at(name_end + 1);
  if (!value.ends_with(' ')) return nullptr;
  const FastField time = FastField::at(value.end() + 1);
  std::optional<int64_t> time_s;
  Number number;
  const auto read = [](std::string_view text, std::optional<int64_t>& read_s) {
    return read_time(text, read_s).is_accepted();
  };
  if (!time.ends_with('\n') || !last_time.read(time, time_s, read)) return nullptr;
  if (!parse_number_fast(begin, value.text(), number)) return nullptr;
  Sample& sample = batch.samples.emplace_back();
  sample.name = name;
  sample.time_s = time_s;
  sample.value = number;
  ++batch.received;
  return time.end() + 1;
}

Verdict<Refusal> read_sample(const LineFields& fields, Batch& batch, Sample& sample) {
  if (const auto verdict = read_name(fields[0], batch, sample.name); verdict.is_refused()) return verdict;
  if (const auto verdict = parse_number(fields[1], sample.value); verdict.is_refused()) return verdict;
  return fields.count == 2 ? kAccepted : read_time(fields[2], sample.time_s);
}

}  // namespace

void parse_graphite_line(std::string_view line, Batch& batch) {
  if (line.size() > kLineBytesMax) return batch.refuse(Refusal::kLineTooLong, line);
  const LineFields fields = split_fields<LineFields::kMax>(line);
  if (fields.count == 0) return;
  if (fields.count != 2 && fields.count != 3) return batch.refuse(Refusal::kFieldCount, line);
  Sample& sample = batch.samples.emplace_back();
  if (const auto verdict = read_sample(fields, batch, sample); verdict.is_refused()) {
    batch.samples.pop_back();
    return batch.refuse(verdict.reason(), line);
  }
  ++batch.received;
  if (fields[0].front() == '~') ++batch.renamed;
}

void parse_graphite_lines(std::string_view bytes, Batch& batch) {
  RepeatedTime last_time;
  for_each_line(
      bytes, [&](const char* at, const char* end) { return parse_line_fast(at, end, last_time, batch); },
      [&](std::string_view line) { parse_graphite_line(line, batch); });
}

}  // namespace statmill
