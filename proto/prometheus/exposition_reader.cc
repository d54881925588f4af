#include "proto/prometheus/exposition_reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/int128.h"

namespace statmill {
namespace {

constexpr std::string_view kEof = "# EOF";

bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return '0' <= c && c <= '9'; }

// A name without quotes: letters, digits and underscores; in names of metrics, colons, too.
bool is_bare_name(std::string_view text, bool may_have_colons) {
  const auto is_allowed = [&](char c) {
    return is_letter(c) || is_digit(c) || (may_have_colons && c == ':');
  };
  return !text.empty() && !is_digit(text.front()) && std::all_of(text.begin(), text.end(), is_allowed);
}

void skip_blanks(Cursor& cursor) {
  while (cursor.skip(' ') || cursor.skip('\t')) {
  }
}

std::optional<FamilyType> family_type(std::string_view text) {
  constexpr auto kTypes = std::to_array<std::pair<std::string_view, FamilyType>>(
      {{"counter", FamilyType::kCounter},
       {"gauge", FamilyType::kGauge},
       {"histogram", FamilyType::kHistogram},
       {"summary", FamilyType::kSummary},
       {"untyped", FamilyType::kUnknown},
       {"unknown", FamilyType::kUnknown},
       {"info", FamilyType::kInfo},
       {"stateset", FamilyType::kStateSet},
       {"gaugehistogram", FamilyType::kGaugeHistogram}});
  for (const auto& [name, type] : kTypes) {
    if (name == text) return type;
  }
  return std::nullopt;
}

// The suffixes of a family's samples, by its type.
std::span<const std::string_view> suffixes_of(FamilyType type) {
  static constexpr std::array<std::string_view, 2> kCounter = {"_total", "_created"};
  static constexpr std::array<std::string_view, 4> kHistogram = {"_bucket", "_sum", "_count", "_created"};
  static constexpr std::array<std::string_view, 3> kSummary = {"_sum", "_count", "_created"};
  static constexpr std::array<std::string_view, 1> kInfo = {"_info"};
  static constexpr std::array<std::string_view, 3> kGaugeHistogram = {"_bucket", "_gsum", "_gcount"};
  switch (type) {
    case FamilyType::kCounter:
      return kCounter;
    case FamilyType::kHistogram:
      return kHistogram;
    case FamilyType::kSummary:
      return kSummary;
    case FamilyType::kInfo:
      return kInfo;
    case FamilyType::kGaugeHistogram:
      return kGaugeHistogram;
    default:
      return {};
  }
}

// Undoes \\, \n and, in quotes, \". Other escapes stay as they are, as in Prometheus.
std::string_view without_escapes(std::string_view text, TextArena& texts) {
  if (text.find('\\') == std::string_view::npos) return text;
  char* const begin = texts.room(text.size());
  char* to = begin;
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    if (next != '\\' && next != 'n' && next != '"') {
      *to++ = text[i];
      continue;
    }
    *to++ = next == 'n' ? '\n' : next;
    ++i;
  }
  return {begin, static_cast<size_t>(to - begin)};
}

// Seconds as decimals -> milliseconds, rounded down; nullopt if 63 bits cannot hold them.
std::optional<int64_t> milliseconds_of(const Number& seconds) {
  if (!seconds.is_decimal()) return std::nullopt;
  Int128 ms = Int128{seconds.mantissa} * 1000;
  Int128 divisor = 1;
  for (int i = 0; i < seconds.scale; ++i) divisor *= 10;
  const Int128 floor = ms >= 0 ? ms / divisor : -((-ms + divisor - 1) / divisor);
  if (floor < std::numeric_limits<int64_t>::min() || floor > std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return static_cast<int64_t>(floor);
}

}  // namespace

ExpositionReader::Item ExpositionReader::next() {
  while (!rest_.empty()) {
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_number_;
    texts_.clear();
    Cursor cursor(line_);
    skip_blanks(cursor);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    bool is_item = true;
    Verdict<Refusal> verdict = kAccepted;
    const bool is_comment = !cursor.is_at_end() && cursor.front() == '#';
    if (line_.size() > kLineBytesMax) {
      verdict = Refusal::kLineTooLong;
    } else if (has_seen_eof_) {
      verdict = Refusal::kFieldCount;  // nothing may follow "# EOF"
    } else if (format_ == ExpositionFormat::kOpenMetrics && line_ == kEof) {
      has_seen_eof_ = true;
      continue;
    } else if (trimmed(line_).empty()) {
      continue;
    } else if (is_comment) {
      verdict = read_comment(Cursor(trimmed(line_)), is_item);
    } else {
      verdict = read_sample(Cursor(trimmed(line_)));
    }
    if (verdict.is_refused()) {
      fault_ = verdict.reason();
      return Item::kFault;
    }
    if (is_item) return is_comment ? Item::kMetadata : Item::kSample;
  }
  return Item::kEnd;
}

// `# TYPE name type`, `# HELP name text`, `# UNIT name unit`; any other comment says nothing.
Verdict<Refusal> ExpositionReader::read_comment(Cursor cursor, bool& has_changed) {
  has_changed = false;
  cursor.skip('#');
  skip_blanks(cursor);
  const std::string_view keyword = cursor.until<' ', '\t'>();
  const bool is_unit = format_ == ExpositionFormat::kOpenMetrics && keyword == "UNIT";
  if (keyword != "TYPE" && keyword != "HELP" && !is_unit) return kAccepted;
  skip_blanks(cursor);
  std::string_view name;
  if (!cursor.is_at_end() && cursor.front() == '"') {
    if (const auto verdict = read_quoted(cursor, name, texts_); verdict.is_refused()) return verdict;
  } else {
    name = cursor.until<' ', '\t'>();
    if (!is_bare_name(name, true)) return Refusal::kBadMetadata;
  }
  if (name.empty()) return Refusal::kBadMetadata;
  skip_blanks(cursor);
  const std::string_view text = trimmed(cursor.rest());
  std::optional<FamilyType> type;
  if (keyword == "TYPE") {
    type = family_type(text);
    if (!type) return Refusal::kBadMetadata;
  }
  if (name != family_.name) begin_family(name);
  if (keyword == "HELP" && std::exchange(has_help_, true)) return Refusal::kBadMetadata;
  has_changed = true;
  if (type) family_.type = *type;
  if (keyword == "HELP") family_.help = without_escapes(text, family_texts_);
  if (is_unit) family_.unit = text;
  return kAccepted;
}

// `name{label="value",...} value [time] [# exemplar]`, or with the name in quotes as the first in the braces.
Verdict<Refusal> ExpositionReader::read_sample(Cursor cursor) {
  sample_ = {};
  labels_.clear();
  sample_.name = cursor.until<'{', ' ', '\t'>();
  if (!sample_.name.empty() && !is_bare_name(sample_.name, true)) return Refusal::kBadName;
  skip_blanks(cursor);
  if (cursor.skip('{')) {
    if (const auto verdict = read_labels(cursor, labels_); verdict.is_refused()) return verdict;
  }
  if (sample_.name.empty()) return Refusal::kEmptyName;
  sample_.labels = labels_;
  skip_blanks(cursor);
  const std::string_view value = cursor.until<' ', '\t'>();
  if (value.empty()) return Refusal::kFieldCount;
  if (const auto verdict = read_value(value); verdict.is_refused()) return verdict;
  skip_blanks(cursor);
  const bool may_have_exemplar = format_ != ExpositionFormat::kText;
  if (!cursor.is_at_end() && !(may_have_exemplar && cursor.front() == '#')) {
    if (const auto verdict = read_time(cursor.until<' ', '\t'>()); verdict.is_refused()) return verdict;
    skip_blanks(cursor);
  }
  const bool has_exemplar = may_have_exemplar && cursor.rest().starts_with("# {");
  if (!cursor.is_at_end() && !has_exemplar) return Refusal::kFieldCount;
  if (has_exemplar) read_exemplar(cursor);
  if (!belongs_to_family(sample_.name)) begin_family(sample_.name);
  return kAccepted;
}

// `# {label="value",...} value [time]`. The sample counts even if this cannot be read.
void ExpositionReader::read_exemplar(Cursor cursor) {
  sample_.has_bad_exemplar = true;
  exemplar_labels_.clear();
  cursor.advance(std::string_view("# {").size());
  if (read_labels(cursor, exemplar_labels_).is_refused()) return;
  ExpositionExemplar exemplar{exemplar_labels_, {}, {}};
  skip_blanks(cursor);
  if (parse_number(cursor.until<' ', '\t'>(), exemplar.value).is_refused()) return;
  skip_blanks(cursor);
  if (!cursor.is_at_end()) {
    Number seconds;
    if (parse_number(cursor.rest(), seconds).is_refused()) return;
    exemplar.time_ms = milliseconds_of(seconds);
    if (!exemplar.time_ms) return;
  }
  sample_.exemplar = exemplar;
  sample_.has_bad_exemplar = false;
}

Verdict<Refusal> ExpositionReader::read_labels(Cursor& cursor, Labels& labels) {
  while (true) {
    skip_blanks(cursor);
    if (cursor.skip('}')) return kAccepted;
    if (const auto verdict = read_label(cursor, labels); verdict.is_refused()) return verdict;
    skip_blanks(cursor);
    if (cursor.skip('}')) return kAccepted;
    if (!cursor.skip(',')) return Refusal::kBadTag;
  }
}

Verdict<Refusal> ExpositionReader::read_label(Cursor& cursor, Labels& labels) {
  std::string_view name;
  const bool is_quoted = !cursor.is_at_end() && cursor.front() == '"';
  if (is_quoted) {
    if (const auto verdict = read_quoted(cursor, name, texts_); verdict.is_refused()) return verdict;
    skip_blanks(cursor);
    if (cursor.is_at_end() || cursor.front() != '=') {  // the name of the metric
      if (&labels != &labels_ || !sample_.name.empty() || !labels.empty()) return Refusal::kBadTag;
      sample_.name = name;
      return accept_if(!name.empty(), Refusal::kEmptyName);
    }
  } else {
    name = trimmed(cursor.until<'=', '"', ',', '}'>());
    if (!is_bare_name(name, false)) return Refusal::kBadTag;
  }
  if (!cursor.skip('=')) return Refusal::kBadTag;
  skip_blanks(cursor);
  std::string_view value;
  if (cursor.is_at_end() || cursor.front() != '"') return Refusal::kBadTag;
  if (const auto verdict = read_quoted(cursor, value, texts_); verdict.is_refused()) return verdict;
  return add_label(name, value, labels);
}

Verdict<Refusal> ExpositionReader::add_label(std::string_view name, std::string_view value, Labels& labels) {
  if (name.empty()) return Refusal::kBadTag;
  if (labels.size() == kLabelsMax) return Refusal::kTagLimit;
  const auto is_same = [&](const LabelView& label) { return label.name == name; };
  if (std::any_of(labels.begin(), labels.end(), is_same)) return Refusal::kDuplicateTag;
  labels.push_back({name, value});
  return kAccepted;
}

Verdict<Refusal> ExpositionReader::read_quoted(Cursor& cursor, std::string_view& out,
                                               TextArena& texts) const {
  cursor.skip('"');
  const std::string_view rest = cursor.rest();
  size_t end = 0;
  while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2U : 1U;
  if (end >= rest.size()) return Refusal::kBadTag;
  cursor.advance(end + 1);
  out = without_escapes(rest.substr(0, end), texts);
  return kAccepted;
}

Verdict<Refusal> ExpositionReader::read_value(std::string_view text) {
  const auto verdict = parse_number(text, sample_.value);
  if (verdict.is_accepted()) return kAccepted;
  if (verdict.reason() != Refusal::kNotFinite) return verdict;
  const bool is_negative = text.front() == '-';
  if (is_negative || text.front() == '+') text.remove_prefix(1);
  const bool is_nan = text.front() == 'n' || text.front() == 'N';
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  sample_.special = is_nan ? std::numeric_limits<double>::quiet_NaN() : is_negative ? -kInfinity : kInfinity;
  return kAccepted;
}

// Seconds as a number in OpenMetrics, otherwise milliseconds as an integer.
Verdict<Refusal> ExpositionReader::read_time(std::string_view text) {
  if (format_ != ExpositionFormat::kOpenMetrics)
    return accept_if(parse_integer(text, sample_.time_ms.emplace()).is_accepted(), Refusal::kBadTime);
  Number seconds;
  if (parse_number(text, seconds).is_refused()) return Refusal::kBadTime;
  sample_.time_ms = milliseconds_of(seconds);
  return accept_if(sample_.time_ms.has_value(), Refusal::kBadTime);
}

void ExpositionReader::begin_family(std::string_view name) {
  family_texts_.clear();
  family_ = {};
  has_help_ = false;
  family_.name = family_texts_.keep(name);  // it may be in quotes with escapes
}

bool ExpositionReader::belongs_to_family(std::string_view name) const {
  if (!name.starts_with(family_.name) || family_.name.empty()) return false;
  const std::string_view suffix = name.substr(family_.name.size());
  if (suffix.empty()) return true;
  const auto suffixes = suffixes_of(family_.type);
  return std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end();
}

}  // namespace statmill
