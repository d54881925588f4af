// A line is checked completely before any of its samples is accepted. The common line, with a normal name and
// no caret, costs no allocation.
#include "proto/istatd/parser.h"

#include <algorithm>
#include <array>
#include <optional>

#include "proto/fast_fields.h"
#include "proto/fast_number.h"
#include "proto/istatd/exact_line.h"
#include "proto/istatd/exemplar_line.h"
#include "proto/istatd/family_line.h"
#include "proto/istatd/histogram_text.h"
#include "proto/istatd/line_names.h"
#include "proto/line_text.h"

namespace statmill {
namespace {

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

// Buckets of a finer partition than ours fit into ours.
uint8_t joined_power_of(unsigned grouping_power) {
  return static_cast<uint8_t>(std::max(0, kHistogramGroupingPower - static_cast<int>(grouping_power)));
}

// Reads `h<g> sum cells`, which begins at fields[field].
Verdict<Refusal> read_histogram(const SampleLine& line, size_t field, Sample& sample, Batch& batch) {
  const auto grouping_power = read_grouping_power(line.fields[field]);
  if (!grouping_power) return Refusal::kBadValue;
  if (const auto verdict = parse_number(line.fields[field + 1], sample.value); verdict.is_refused())
    return verdict;
  ReadyBucket& ready = batch.new_ready_bucket();
  sample.ready = &ready;
  ready.joined_power = joined_power_of(*grouping_power);
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

// The names in "base^a^b;k=v": base.a;k=v and base.b;k=v; with a caret at the end of the path, also base;k=v.
struct FanOut {
  std::string_view base;
  std::array<std::string_view, kFanOutMax> parts;  // an empty part means the base itself
  size_t count = 0;
  std::string_view tags;  // with the first `;`, or empty

  std::string name(size_t i) const {
    std::string name(base);
    if (!base.empty() && !parts[i].empty()) name.push_back('.');
    return name.append(parts[i]).append(tags);
  }
};

// Requires: a caret in the path of `name`.
Verdict<Refusal> read_fan_out(std::string_view name, FanOut& fan_out) {
  const std::string_view path = name.substr(0, name.find(';'));
  fan_out.tags = name.substr(path.size());
  size_t caret = path.find('^');
  fan_out.base = path.substr(0, caret);
  size_t bytes = 0;
  while (caret != std::string_view::npos) {
    const size_t begin = caret + 1;
    caret = path.find('^', begin);
    const bool is_last = caret == std::string_view::npos;
    const std::string_view part = path.substr(begin, is_last ? caret : caret - begin);
    if (part.empty() && (!is_last || fan_out.base.empty())) return Refusal::kEmptyName;
    const size_t name_bytes = fan_out.base.size() + 1 + part.size() + fan_out.tags.size();
    if (name_bytes > kSpellingBytesMax + 1) return Refusal::kNameTooLong;
    bytes += name_bytes;
    if (fan_out.count == kFanOutMax || bytes > kFanOutBytesMax) return Refusal::kFanOutLimit;
    fan_out.parts[fan_out.count++] = part;
  }
  return kAccepted;
}

// `Names` is the rule for the names of the lines, FoldedNames or CanonicalNames.

template <class Names>
Verdict<Refusal> read_fan_out_line(const SampleLine& line, const Names& names, Batch& batch) {
  FanOut fan_out;
  if (const auto verdict = read_fan_out(line.name, fan_out); verdict.is_refused()) return verdict;
  std::array<std::string_view, kFanOutMax> stored;
  for (size_t i = 0; i < fan_out.count; ++i) {
    const auto verdict = names.read(batch.keep(fan_out.name(i)), batch, stored[i]);
    if (verdict.is_refused()) return verdict;
  }
  Sample sample;
  sample.kind = line.kind;
  if (const auto verdict = read_values(line, sample, batch); verdict.is_refused()) return verdict;
  for (size_t i = 0; i < fan_out.count; ++i) {
    sample.name = stored[i];
    batch.samples.push_back(sample);
  }
  batch.received += fan_out.count;
  return kAccepted;
}

template <class Names>
Verdict<Refusal> read_one_line(const SampleLine& line, const PlainName* plain, const Names& names,
                               Batch& batch) {
  std::string_view name = plain == nullptr ? std::string_view() : names.stored(*plain, batch);
  if (name.empty()) {
    if (const auto verdict = names.read(line.name, batch, name); verdict.is_refused()) return verdict;
  }
  Sample& sample = batch.samples.emplace_back();
  sample.kind = line.kind;
  if (const auto verdict = read_values(line, sample, batch); verdict.is_refused()) {
    batch.samples.pop_back();
    return verdict;
  }
  sample.name = name;
  ++batch.received;
  return kAccepted;
}

template <class Names>
void parse_sample_line(std::string_view text, const Names& names, Batch& batch) {
  const char* begin = text.data();
  const char* const end = begin + text.size();
  while (begin != end && is_space(*begin)) ++begin;
  if (begin == end) return;
  const Kind kind = kind_of(*begin);
  if (kind != Kind::kGauge) ++begin;
  const PlainName plain = names.find_plain(text.data(), begin, end);
  const bool is_plain = plain.end == end || is_space(*plain.end);
  const char* const name_end = is_plain ? plain.end : find_space(plain.end, end);
  const SampleLine line{kind,
                        {begin, static_cast<size_t>(name_end - begin)},
                        split_fields<ValueFields::kMax>({name_end, static_cast<size_t>(end - name_end)}),
                        end};
  if (!line.has_good_field_count()) return batch.refuse(Refusal::kFieldCount, text);
  const bool fans_out =
      !is_plain && line.name.substr(0, line.name.find(';')).find('^') != std::string_view::npos;
  const auto verdict = fans_out ? read_fan_out_line(line, names, batch)
                                : read_one_line(line, is_plain ? &plain : nullptr, names, batch);
  if (verdict.is_refused()) return batch.refuse(verdict.reason(), text);
  if (kind != Kind::kDistribution && line.fields.count > ValueFields::kMax) ++batch.extra_fields;
}

// Parses a line of the common form: a plain name, perhaps a time, and a short number, separated by single
// spaces, then LF. It scans each byte of an untagged line once. Returns the begin of the next line. Returns
// nullptr and adds no sample if the line has another form or is near the end of the text. Requires:
// begin < end.
template <class Names>
const char* parse_line_fast(const char* begin, const char* end, RepeatedTime& last_time, const Names& names,
                            Batch& batch) {
  const Kind kind = kind_of(*begin);
  const char* const name_begin = begin + (kind == Kind::kGauge ? 0 : 1);
  const PlainName name = names.find_plain(begin, name_begin, end);
  if (end - name.end < 2 * (1 + kFastFieldRoom) || *name.end != ' ' || name.is_empty()) return nullptr;
  FastField value = FastField::at(name.end + 1);
  std::optional<int64_t> time_s;
  if (value.ends_with(' ')) {
    if (!last_time.read(value, time_s, read_time)) return nullptr;
    value = FastField::at(value.end() + 1);
  }
  Number number;
  if (!value.ends_with('\n') || !parse_number_fast(begin, value.text(), number)) return nullptr;
  const std::string_view stored = names.stored(name, batch);
  if (stored.empty()) return nullptr;
  Sample& sample = batch.samples.emplace_back();
  sample.name = stored;
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

template <class Names>
void parse_line(std::string_view line, const Names& names, Batch& batch) {
  if (line.empty()) return;
  if (line.size() > kLineBytesMax) return batch.refuse(Refusal::kLineTooLong, line);
  switch (line.front()) {
    case '#':
      return parse_metadata(line, batch);
    case kExactMark:
      if (is_family_line(line)) return parse_family_line(line, Names::kPathRule, batch);
      if (is_exemplar_line(line)) return parse_exemplar_line(line, names.added(), batch);
      return parse_exact_line(line, names.added(), batch);
    case '@':
    case '&':
    case ';':
    case ':':
      return batch.refuse(Refusal::kReserved, line);
    default:
      return parse_sample_line(line, names, batch);
  }
}

template <class Names>
void parse_lines(std::string_view bytes, const Names& names, Batch& batch) {
  RepeatedTime last_time;
  for_each_line(
      bytes,
      [&](const char* at, const char* end) { return parse_line_fast(at, end, last_time, names, batch); },
      [&](std::string_view line) { parse_line(line, names, batch); });
}

}  // namespace

void parse_istatd_line(std::string_view line, Batch& batch) { parse_line(line, FoldedNames(), batch); }

void parse_istatd_lines(std::string_view bytes, Batch& batch) { parse_lines(bytes, FoldedNames(), batch); }

void parse_canonical_line(std::string_view line, const AddedTags& added, Batch& batch) {
  parse_line(line, CanonicalNames(added), batch);
}

void parse_canonical_lines(std::string_view bytes, const AddedTags& added, Batch& batch) {
  parse_lines(bytes, CanonicalNames(added), batch);
}

}  // namespace statmill
