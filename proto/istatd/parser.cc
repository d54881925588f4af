// A line is checked completely before any of its samples is accepted. The common line, with a normal name and
// no caret, costs no allocation.
#include "proto/istatd/parser.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/bytes16.h"
#include "proto/fast_fields.h"
#include "proto/fast_number.h"
#include "proto/istatd/exact_line.h"
#include "proto/istatd/family_line.h"
#include "proto/istatd/histogram_text.h"
#include "proto/line_text.h"
#include "proto/normal_name.h"

namespace statmill {
namespace {

constexpr uint8_t kMunged = 1;  // stored as another byte
constexpr uint8_t kCaret = 2;   // fans a name out

using ValueFields = Fields<6>;  // the fields after the name

constexpr Kind kind_of(char first) {
  if (first == '*') return Kind::kEvent;
  return first == '%' ? Kind::kDistribution : Kind::kGauge;
}

// A sample's line, split into fields.
struct SampleLine {
  Kind kind;
  std::string_view name;  // as written, without the byte that marks the kind
  ValueFields fields;
  const char* end;  // of the line

  // Returns the index of the field where a distribution's histogram begins; fields.count if there is none.
  size_t histogram() const {
    const size_t first = std::min<size_t>(fields.count, 2);
    for (size_t i = 0; kind == Kind::kDistribution && i < first; ++i) {
      if (*fields.begin[i] == 'h') return i;
    }
    return fields.count;
  }
  bool has_good_field_count() const {
    if (fields.count == 1 || fields.count == 2) return histogram() == fields.count;
    if (kind == Kind::kDistribution) return histogram() + 2 < fields.count;  // sum, and a cell
    return fields.count >= ValueFields::kMax;
  }
};

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (size_t i = 0; i < classes.size(); ++i) {
    const auto c = static_cast<char>(i);
    if (c == '^') {
      classes[i] = kCaret;
    } else if (normal_byte(c) != c) {
      classes[i] = kMunged;
    }
  }
  return classes;
}

constexpr std::array<uint8_t, 256> kClasses = make_classes();

// Marks the bytes other than lower-case letters, digits and - . _, which nearly all names consist of and
// which are stored unchanged. Not a function: that would be called through its address for every 16 bytes.
constexpr auto is_not_plain = [](Bytes16 b) -> Mask16 {
  const Mask16 is_letter = b - 'a' < 26;
  const Mask16 is_digit_point_dash = (b - '-' < 13) & (b != '/');
  return ~(is_letter | is_digit_point_dash | (b == '_'));
};

bool read_time(std::string_view text, std::optional<int64_t>& time_s) {
  return parse_integer(text, time_s.emplace()).is_accepted();
}

// Reads the last four of the six fields: sum of squares, min, max, count.
Verdict<Refusal> read_ready_bucket(const ValueFields& fields, ReadyBucket& ready) {
  if (const auto verdict = parse_number(fields[2], ready.sum_of_squares); verdict.is_refused())
    return verdict;
  if (const auto verdict = parse_number(fields[3], ready.min); verdict.is_refused()) return verdict;
  if (const auto verdict = parse_number(fields[4], ready.max); verdict.is_refused()) return verdict;
  return parse_integer(fields[5], ready.count);
}

// Reads `h<g> sum cells`, which begins at fields[field].
Verdict<Refusal> read_histogram(const SampleLine& line, size_t field, Sample& sample, Batch& batch) {
  const auto grouping_power = read_grouping_power(line.fields[field]);
  if (!grouping_power) return Refusal::kBadValue;
  if (const auto verdict = parse_number(line.fields[field + 1], sample.value); verdict.is_refused())
    return verdict;
  ReadyBucket& ready = batch.new_ready_bucket();
  sample.ready = &ready;
  const char* const cells = line.fields.begin[field + 2];
  return read_histogram_cells({cells, static_cast<size_t>(line.end - cells)}, *grouping_power, batch, ready);
}

// Reads all fields after the name. If an event has all six fields, only time and sum are used, as in istatd.
Verdict<Refusal> read_values(const SampleLine& line, Sample& sample, Batch& batch) {
  const ValueFields& fields = line.fields;
  if (fields.count == 1) return parse_number(fields[0], sample.value);
  const size_t histogram = line.histogram();
  if (histogram == 0) return read_histogram(line, 0, sample, batch);
  if (!read_time(fields[0], sample.time_s)) return Refusal::kBadTime;
  if (histogram == 1) return read_histogram(line, 1, sample, batch);
  if (const auto verdict = parse_number(fields[1], sample.value); verdict.is_refused()) return verdict;
  if (fields.count == 2 || sample.kind == Kind::kEvent) return kAccepted;
  ReadyBucket& ready = batch.new_ready_bucket();
  sample.ready = &ready;
  return read_ready_bucket(fields, ready);
}

// The names in "base^a^b": base.a and base.b; with a caret at the end, also base.
struct FanOut {
  std::string_view base;
  std::array<std::string_view, kFanOutMax> parts;  // an empty part means the base itself
  size_t count = 0;

  std::string name(size_t i) const {
    std::string name(base);
    if (!base.empty() && !parts[i].empty()) name.push_back('.');
    return name.append(parts[i]);
  }
};

// Requires: a caret in `name`.
Verdict<Refusal> read_fan_out(std::string_view name, FanOut& fan_out) {
  size_t caret = name.find('^');
  fan_out.base = name.substr(0, caret);
  while (caret != std::string_view::npos) {
    const size_t begin = caret + 1;
    caret = name.find('^', begin);
    const bool is_last = caret == std::string_view::npos;
    const std::string_view part = name.substr(begin, is_last ? caret : caret - begin);
    if (part.empty() && (!is_last || fan_out.base.empty())) return Refusal::kEmptyName;
    const bool has_dot = !part.empty() && !fan_out.base.empty();
    if (fan_out.base.size() + part.size() + (has_dot ? 1 : 0) > kNameBytesMax) return Refusal::kNameTooLong;
    if (fan_out.count == kFanOutMax) return Refusal::kFanOutLimit;
    fan_out.parts[fan_out.count++] = part;
  }
  return kAccepted;
}

uint8_t classes_of(std::string_view text) {
  uint8_t classes = 0;
  for (const char c : text) classes |= kClasses[static_cast<uint8_t>(c)];
  return classes;
}

Verdict<Refusal> read_fan_out_line(const SampleLine& line, Batch& batch) {
  FanOut fan_out;
  if (const auto verdict = read_fan_out(line.name, fan_out); verdict.is_refused()) return verdict;
  Sample sample;
  sample.kind = line.kind;
  if (const auto verdict = read_values(line, sample, batch); verdict.is_refused()) return verdict;
  for (size_t i = 0; i < fan_out.count; ++i) {
    sample.name = batch.keep(normal_name(fan_out.name(i)));
    batch.samples.push_back(sample);
  }
  batch.received += fan_out.count;
  return kAccepted;
}

Verdict<Refusal> read_plain_line(const SampleLine& line, bool is_normal, Batch& batch) {
  if (line.name.empty()) return Refusal::kEmptyName;
  if (line.name.size() > kNameBytesMax) return Refusal::kNameTooLong;
  Sample& sample = batch.samples.emplace_back();
  sample.kind = line.kind;
  if (const auto verdict = read_values(line, sample, batch); verdict.is_refused()) {
    batch.samples.pop_back();
    return verdict;
  }
  sample.name = is_normal ? line.name : batch.keep(normal_name(line.name));
  ++batch.received;
  return kAccepted;
}

void parse_sample_line(std::string_view text, Batch& batch) {
  const char* begin = text.data();
  const char* const end = begin + text.size();
  while (begin != end && is_space(*begin)) ++begin;
  if (begin == end) return;
  const Kind kind = kind_of(*begin);
  if (kind != Kind::kGauge) ++begin;
  const char* name_end = find_first(text.data(), begin, end, is_not_plain);
  const bool is_plain = name_end == end || is_space(*name_end);
  if (!is_plain) name_end = find_space(name_end, end);
  const SampleLine line{kind,
                        {begin, static_cast<size_t>(name_end - begin)},
                        split_fields<ValueFields::kMax>({name_end, static_cast<size_t>(end - name_end)}),
                        end};
  if (!line.has_good_field_count()) return batch.refuse(Refusal::kFieldCount, text);
  const uint8_t classes = is_plain ? 0 : classes_of(line.name);
  const auto verdict = (classes & kCaret) != 0 ? read_fan_out_line(line, batch)
                                               : read_plain_line(line, (classes & kMunged) == 0, batch);
  if (verdict.is_refused()) return batch.refuse(verdict.reason(), text);
  if (kind != Kind::kDistribution && line.fields.count > ValueFields::kMax) ++batch.extra_fields;
}

// Parses a line of the common form: a plain name, perhaps a time, and a short number, separated by single
// spaces, then LF. It scans each byte once. Returns the begin of the next line. Returns nullptr and does
// nothing if the line has another form or is near the end of the text. Requires: begin < end.
const char* parse_line_fast(const char* begin, const char* end, RepeatedTime& last_time, Batch& batch) {
  const Kind kind = kind_of(*begin);
  const char* const name = begin + (kind == Kind::kGauge ? 0 : 1);
  const char* const name_end = find_first(begin, name, end, is_not_plain);
  const auto name_size = static_cast<size_t>(name_end - name);
  if (end - name_end < 2 * (1 + kFastFieldRoom) || *name_end != ' ') return nullptr;
  if (name_size == 0 || name_size > kNameBytesMax) return nullptr;
  FastField value = FastField::at(name_end + 1);
  std::optional<int64_t> time_s;
  if (value.ends_with(' ')) {
    if (!last_time.read(value, time_s, read_time)) return nullptr;
    value = FastField::at(value.end() + 1);
  }
  Number number;
  if (!value.ends_with('\n') || !parse_number_fast(begin, value.text(), number)) return nullptr;
  Sample& sample = batch.samples.emplace_back();
  sample.name = {name, name_size};
  sample.kind = kind;
  sample.time_s = time_s;
  sample.value = number;
  ++batch.received;
  return value.end() + 1;
}

void parse_metadata(std::string_view line, Batch& batch) {
  const std::string_view pair = trimmed(line.substr(1));  // after the #
  size_t key_end = 0;
  while (key_end < pair.size() && !is_space(pair[key_end])) ++key_end;
  const std::string_view text = trimmed(pair.substr(key_end));
  if (text.empty()) return batch.refuse(Refusal::kBadMetadata, line);
  batch.metadata.push_back({pair.substr(0, key_end), text});
}

}  // namespace

void parse_istatd_line(std::string_view line, Batch& batch) {
  if (line.empty()) return;
  if (line.size() > kLineBytesMax) return batch.refuse(Refusal::kLineTooLong, line);
  switch (line.front()) {
    case '#':
      return parse_metadata(line, batch);
    case kExactMark:
      return is_family_line(line) ? parse_family_line(line, batch) : parse_exact_line(line, batch);
    case '@':
    case '&':
    case ';':
    case ':':
      return batch.refuse(Refusal::kReserved, line);
    default:
      return parse_sample_line(line, batch);
  }
}

void parse_istatd_lines(std::string_view bytes, Batch& batch) {
  RepeatedTime last_time;
  for_each_line(
      bytes, [&](const char* at, const char* end) { return parse_line_fast(at, end, last_time, batch); },
      [&](std::string_view line) { parse_istatd_line(line, batch); });
}

}  // namespace statmill
