// Nearly all texts of a point are ASCII without escapes. These are found sixteen bytes at a time and are not
// copied but into the names; other texts are unescaped first, byte by byte.
#include "proto/influx/parser.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/hidden_characters.h"
#include "base/text.h"
#include "proto/fast_number.h"
#include "proto/influx/point_end.h"
#include "proto/line_text.h"
#include "proto/name_escapes.h"
#include "proto/tag_text.h"
#include "proto/tagged_name.h"

namespace statmill {
namespace {

// Marks the bytes other than plain ones of a measurement, tag or field key: those that end it, and those that
// may have to be escaped or unescaped.
constexpr auto is_not_plain = [](Bytes16 b) -> Mask16 {
  return odd_bytes(b) | (b == sixteen('\\')) | (b == sixteen('%')) | (b == sixteen(';'));
};
constexpr auto ends_key = [](Bytes16 b) -> Mask16 {
  return is_not_plain(b) | (b == sixteen('=')) | (b == sixteen(','));
};
constexpr auto ends_value = [](Bytes16 b) -> Mask16 { return (b == sixteen(',')) | (b < 33); };

// The bytes that a backslash escapes in a measurement, and in keys and values of tags and in keys of fields.
// A backslash before any other byte is a byte like others.
constexpr std::string_view kMeasurementEscapes = ", ";
constexpr std::string_view kKeyEscapes = ",= ";

// Returns the position of the first of the bytes that no backslash precedes; text.size() if there is none.
size_t find_bare(std::string_view text, std::string_view bytes, size_t at = 0) {
  for (; (at = text.find_first_of(bytes, at)) < text.size(); ++at) {
    if (at == 0 || text[at - 1] != '\\') return at;
  }
  return text.size();
}

std::string without_escapes(std::string_view text, std::string_view escapes) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape =
        text[i] == '\\' && i + 1 < text.size() && escapes.find(text[i + 1]) != std::string_view::npos;
    if (!is_escape) out += text[i];
  }
  return out;
}

// The text of a name may have control bytes, which are stored as escapes, but must be UTF-8 without hidden
// characters.
bool is_storable(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const size_t size = utf8_length(rest);
    if (size == 0) return false;
    rest.remove_prefix(size);
  }
  return !has_hidden_character(text);
}

// Sets `spelled` to the canonical spelling of an escaped text, which `batch` keeps. A % of the text is no
// escape of ours, so it is stored as one where two hex digits follow it.
Verdict<Refusal> spell(std::string_view text, std::string_view escapes, NamePart part, Batch& batch,
                       std::string_view& spelled) {
  const std::string plain = without_escapes(text, escapes);
  if (!is_storable(plain)) return Refusal::kBadName;
  spelled = batch.keep(escaped(plain, part));
  return kAccepted;
}

// What all fields of a point have in common.
struct PointKey {
  std::string_view path;  // the measurement, spelled as the begin of a path
  std::string_view tags;  // ";key=value..." in canonical form; may be empty
};

Verdict<Refusal> read_odd_tags(std::string_view text, TagList& tags, Batch& batch) {
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = find_bare(text, ",", begin);
    const std::string_view pair = text.substr(begin, end - begin);
    const size_t assign = find_bare(pair, "=");
    if (assign == pair.size()) return Refusal::kBadTag;
    std::string_view key;
    std::string_view value;
    if (const auto verdict = spell(pair.substr(0, assign), kKeyEscapes, NamePart::kKey, batch, key);
        verdict.is_refused())
      return verdict;
    if (const auto verdict = spell(pair.substr(assign + 1), kKeyEscapes, NamePart::kValue, batch, value);
        verdict.is_refused())
      return verdict;
    if (const auto verdict = tags.add(key, value, batch); verdict.is_refused()) return verdict;
    begin = end + 1;
  }
  return kAccepted;
}

// Reads an integer `1i` or `1u`. It must fit 64 bits, as in InfluxDB. Reads nothing before `readable`.
Verdict<Refusal> read_integer(const char* readable, std::string_view text, Number& value) {
  const bool is_signed = text.back() == 'i';
  text.remove_suffix(1);
  if (!is_signed && text.starts_with('-')) return Refusal::kOutOfRange;
  if (text.find('.') == std::string_view::npos && parse_number_fast(readable, text, value)) return kAccepted;
  int64_t whole = 0;
  uint64_t natural = 0;
  const auto verdict = is_signed ? parse_integer(text, whole) : parse_integer(text, natural);
  return verdict.is_refused() ? verdict : parse_number(text, value);
}

std::optional<int64_t> parse_boolean(std::string_view text) {
  if (text == "t" || text == "T" || text == "true" || text == "True" || text == "TRUE") return 1;
  if (text == "f" || text == "F" || text == "false" || text == "False" || text == "FALSE") return 0;
  return std::nullopt;
}

// Reads a value that is no string. Requires: it is not empty.
Verdict<Refusal> read_value(const char* readable, std::string_view text, Number& value) {
  const char last = text.back();
  if (last == 'i' || last == 'u') return read_integer(readable, text, value);
  if (parse_number_fast(readable, text, value)) return kAccepted;
  const auto boolean = parse_boolean(text);
  if (!boolean) return parse_number(text, value);
  value = {*boolean, 0};
  return kAccepted;
}

// Remembers the time of the point before: most neighbours have the same one, and comparing it is enough.
class LastTime {
 public:
  // `text` must stay valid until the last call.
  Verdict<Refusal> read(std::string_view text, InfluxUnit unit, int64_t& time_s) {
    if (text != text_) {
      if (const auto verdict = read_influx_time(text, unit, time_s_); verdict.is_refused()) {
        text_ = {};
        return verdict;
      }
      text_ = text;
    }
    time_s = time_s_;
    return kAccepted;
  }

 private:
  std::string_view text_;  // empty: no time yet
  int64_t time_s_ = 0;
};

// A line that is being parsed.
class Point {
 public:
  Point(std::string_view line, const InfluxOptions& options, LastTime& last_time, Batch& batch)
      : options_(options),
        last_time_(last_time),
        batch_(batch),
        begin_(line.data()),
        at_(begin_),
        end_(begin_ + line.size()),
        first_sample_(batch.samples.size()) {}

  // Adds the samples of the point. If it is refused, some may have been added.
  Verdict<Refusal> read() {
    if (const auto verdict = read_key(); verdict.is_refused()) return verdict;
    if (const auto verdict = read_fields(); verdict.is_refused()) return verdict;
    batch_.skipped_fields += strings_;
    return read_time();
  }
  size_t name_bytes() const { return name_bytes_; }

 private:
  std::string_view text_to(const char* end) const { return {at_, static_cast<size_t>(end - at_)}; }
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }

  Verdict<Refusal> read_key();
  Verdict<Refusal> read_odd_key(std::string_view text, TagList& tags);
  Verdict<Refusal> add_tags(TagList& tags);
  Verdict<Refusal> read_fields();
  Verdict<Refusal> read_field_key(std::string_view& key);
  Verdict<Refusal> read_field(std::string_view key);
  Verdict<Refusal> read_string();
  Verdict<Refusal> add_sample(std::string_view key, const Number& value);
  Verdict<Refusal> read_time();

  const InfluxOptions& options_;
  LastTime& last_time_;
  Batch& batch_;
  const char* const begin_;
  const char* at_;
  const char* const end_;
  const size_t first_sample_;
  PointKey key_;
  size_t fields_ = 0;
  size_t strings_ = 0;
  size_t name_bytes_ = 0;
};

// Reads the measurement and the tags, up to the blank after them.
Verdict<Refusal> Point::read_key() {
  TagList tags;
  const char* key_end = find_first(begin_, at_, end_, is_not_plain);
  if (key_end != end_ && *key_end == ' ') {
    const std::string_view key = text_to(key_end);
    const size_t path_size = std::min(key.find(','), key.size());
    key_.path = key.substr(0, path_size);
    if (key_.path.empty()) return Refusal::kEmptyName;
    if (key_.path.front() == '~') key_.path = batch_.keep(escaped_path(key_.path));
    if (path_size < key.size()) {
      const auto verdict = tags.add_all(key.substr(path_size + 1), TagSpelling::kInflux, batch_);
      if (verdict.is_refused()) return verdict;
    }
  } else {
    const std::string_view rest = text_to(end_);
    const std::string_view key = rest.substr(0, find_bare(rest, " "));
    key_end = at_ + key.size();
    if (const auto verdict = read_odd_key(key, tags); verdict.is_refused()) return verdict;
  }
  if (const auto verdict = add_tags(tags); verdict.is_refused()) return verdict;
  at_ = key_end;
  skip_blanks();
  return kAccepted;
}

Verdict<Refusal> Point::read_odd_key(std::string_view text, TagList& tags) {
  const size_t path_size = find_bare(text, ",");
  if (path_size == 0) return Refusal::kEmptyName;
  const auto verdict =
      spell(text.substr(0, path_size), kMeasurementEscapes, NamePart::kPath, batch_, key_.path);
  if (verdict.is_refused() || path_size == text.size()) return verdict;
  return read_odd_tags(text.substr(path_size + 1), tags, batch_);
}

Verdict<Refusal> Point::add_tags(TagList& tags) {
  if (!options_.tag_key.empty() && !options_.tag_value.empty()) {
    const auto verdict = tags.add_default(options_.tag_key, options_.tag_value, batch_);
    if (verdict.is_refused()) return verdict;
  }
  if (tags.is_empty()) return kAccepted;
  if (tags.name_size({}) > kNameBytesMax) return Refusal::kNameTooLong;
  key_.tags = tags.name({}, batch_);
  name_bytes_ += key_.tags.size();
  return kAccepted;
}

Verdict<Refusal> Point::read_fields() {
  while (true) {
    std::string_view key;
    if (const auto verdict = read_field_key(key); verdict.is_refused()) return verdict;
    if (++fields_ > kInfluxFieldsMax) return Refusal::kFanOutLimit;
    if (const auto verdict = read_field(key); verdict.is_refused()) return verdict;
    if (at_ == end_ || *at_ != ',') break;
    ++at_;
  }
  return accept_if(at_ == end_ || *at_ == ' ' || *at_ == '\t', Refusal::kBadValue);
}

// Reads the key of a field and the sign after it.
Verdict<Refusal> Point::read_field_key(std::string_view& key) {
  const char* key_end = find_first(begin_, at_, end_, ends_key);
  if (key_end != end_ && *key_end == '=') {
    key = text_to(key_end);
  } else {
    const std::string_view rest = text_to(end_);
    const size_t size = find_bare(rest, "=, ");
    if (size == rest.size() || rest[size] != '=') return Refusal::kFieldCount;
    key_end = at_ + size;
    // With a point in front, since this is not the begin of the path.
    const auto verdict =
        spell("." + std::string(rest.substr(0, size)), kKeyEscapes, NamePart::kPath, batch_, key);
    if (verdict.is_refused()) return verdict;
    key.remove_prefix(1);
  }
  at_ = key_end + 1;
  return accept_if(!key.empty(), Refusal::kEmptyName);
}

// Reads a value and adds its sample, unless it is a string. A byte that ends the field follows it.
Verdict<Refusal> Point::read_field(std::string_view key) {
  if (at_ != end_ && *at_ == '"') return read_string();
  const char* const value_end = find_first(begin_, at_, end_, ends_value);
  const std::string_view text = text_to(value_end);
  at_ = value_end;
  if (text.empty()) return Refusal::kBadValue;
  Number value;
  const auto verdict = read_value(begin_, text, value);
  return verdict.is_refused() ? verdict : add_sample(key, value);
}

Verdict<Refusal> Point::read_string() {
  const auto ends_part = [](Bytes16 b) -> Mask16 { return (b == sixteen('"')) | (b == sixteen('\\')); };
  for (++at_;;) {
    at_ = find_first(begin_, at_, end_, ends_part);
    if (end_ - at_ < (at_ == end_ || *at_ == '"' ? 1 : 2)) return Refusal::kBadValue;
    if (*at_ == '"') break;
    at_ += 2;
  }
  ++at_;
  if (at_ != end_ && *at_ != ',' && *at_ != ' ') return Refusal::kBadValue;
  ++strings_;
  return kAccepted;
}

Verdict<Refusal> Point::add_sample(std::string_view key, const Number& value) {
  const size_t size = key_.path.size() + 1 + key.size() + key_.tags.size();
  if (size > kNameBytesMax) return Refusal::kNameTooLong;
  name_bytes_ += size;
  if (name_bytes_ > kInfluxNameBytesMax) return Refusal::kFanOutLimit;
  char* const name = batch_.room(size);
  char* to = copy_short(key_.path, name);
  *to++ = '.';
  to = copy_short(key, to);
  copy_short(key_.tags, to);
  Sample& sample = batch_.samples.emplace_back();
  sample.name = {name, size};
  sample.value = value;
  return kAccepted;
}

// Reads the time, if there is one, and sets it in all samples of the point.
Verdict<Refusal> Point::read_time() {
  skip_blanks();
  if (at_ == end_) return kAccepted;
  int64_t time_s = 0;
  const auto verdict = last_time_.read(text_to(end_), options_.unit, time_s);
  if (verdict.is_refused()) return verdict;
  for (size_t i = first_sample_; i < batch_.samples.size(); ++i) batch_.samples[i].time_s = time_s;
  return kAccepted;
}

// Returns about how many bytes the names of the point have.
size_t parse_line(std::string_view whole_line, const InfluxOptions& options, LastTime& last_time,
                  Batch& batch) {
  const auto refuse = [&](Refusal reason) {
    batch.refuse(reason, whole_line.substr(0, whole_line.find('\n')));
  };
  if (whole_line.size() > kLineBytesMax) {
    refuse(Refusal::kLineTooLong);
    return 0;
  }
  const std::string_view line = trimmed(whole_line);
  if (line.empty() || line.front() == '#') return 0;
  const size_t samples = batch.samples.size();
  const uint64_t skipped = batch.skipped_fields;
  Point point(line, options, last_time, batch);
  if (const auto verdict = point.read(); verdict.is_refused()) {
    batch.samples.erase(batch.samples.begin() + static_cast<std::ptrdiff_t>(samples), batch.samples.end());
    batch.skipped_fields = skipped;
    refuse(verdict.reason());
  } else {
    batch.received += batch.samples.size() - samples;
  }
  return point.name_bytes();
}

}  // namespace

void parse_influx_line(std::string_view line, const InfluxOptions& options, Batch& batch) {
  LastTime none;
  parse_line(line, options, none, batch);
}

size_t parse_influx_piece(std::string_view bytes, const InfluxOptions& options, Batch& batch) {
  LastTime last_time;
  size_t at = 0;
  size_t name_bytes = 0;
  while (at < bytes.size() && at < kInfluxPieceBytes && name_bytes < kInfluxNameBytesMax) {
    const size_t size = influx_point_size(bytes.substr(at));
    name_bytes += parse_line(bytes.substr(at, size), options, last_time, batch);
    at = std::min(at + size + 1, bytes.size());
  }
  return at;
}

void parse_influx_lines(std::string_view bytes, Batch& batch) {
  while (!bytes.empty()) bytes.remove_prefix(parse_influx_piece(bytes, {}, batch));
}

}  // namespace statmill
