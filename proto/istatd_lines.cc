// See istatd_lines.h and PROTOCOL.md. A line is checked whole before any of its samples is taken; the usual
// line, with a name that is already normal and has no caret, costs no allocation.
#include "proto/istatd_lines.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

namespace statmill {
namespace {

constexpr uint8_t kSpace = 1;   // isspace() of the C locale
constexpr uint8_t kMunged = 2;  // not stored as it is
constexpr uint8_t kCaret = 4;   // fans a name out

// The byte as it is stored in a name.
constexpr char normal_byte(char c) {
  if ('A' <= c && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  const auto byte = static_cast<uint8_t>(c);
  const bool munged = byte < 33 || byte > 126 || c == '/' || c == ':' || c == '\\' || c == '"' || c == '\'';
  return munged ? '_' : c;
}

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (size_t i = 0; i < classes.size(); ++i) {
    const auto c = static_cast<char>(i);
    if (c == ' ' || ('\t' <= c && c <= '\r')) {
      classes[i] = kSpace;
    } else if (c == '^') {
      classes[i] = kCaret;
    } else if (normal_byte(c) != c) {
      classes[i] = kMunged;
    }
  }
  return classes;
}

constexpr std::array<uint8_t, 256> kClasses = make_classes();

uint8_t class_of(char c) { return kClasses[static_cast<uint8_t>(c)]; }
bool is_space(char c) { return class_of(c) == kSpace; }

// Where the fields of a line are. Not zeroed, since that would cost as much as finding them.
struct Fields {
  static constexpr size_t kMax = 7;

  size_t count = 0;  // kMax + 1: there are more
  std::array<const char*, kMax> begin;
  std::array<const char*, kMax> end;

  std::string_view operator[](size_t i) const { return {begin[i], static_cast<size_t>(end[i] - begin[i])}; }
};

// The first white space in [at, end), or end. Eight bytes at a time: a byte below 33 leaves its top bit set,
// and the lowest such bit is never false (borrows only go up).
const char* find_space(const char* at, const char* end) {
  static_assert(std::endian::native == std::endian::little);
  constexpr uint64_t kOnes = 0x0101010101010101;
  while (end - at >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    const uint64_t low = (word - 33 * kOnes) & ~word & (0x80 * kOnes);
    if (low == 0) {
      at += 8;
      continue;
    }
    at += std::countr_zero(low) / 8;
    if (is_space(*at)) return at;
    ++at;
  }
  while (at != end && !is_space(*at)) ++at;
  return at;
}

Fields split_fields(std::string_view line) {
  Fields fields;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) return fields;
    if (fields.count == Fields::kMax) {
      ++fields.count;
      return fields;
    }
    fields.begin[fields.count] = at;
    at = find_space(at, end);
    fields.end[fields.count++] = at;
  }
}

// The whole text as an integer with an optional sign; anything else is an error of the result.
template <class Integer>
std::from_chars_result read_integer(std::string_view text, Integer& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  std::from_chars_result result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ptr != text.data() + text.size()) result.ec = std::errc::invalid_argument;
  return result;
}

std::optional<Refusal> read_number(std::string_view text, Number& number) {
  switch (parse_number(text, number)) {
    case NumberError::kNone:
      return std::nullopt;
    case NumberError::kBadValue:
      return Refusal::kBadValue;
    case NumberError::kNotFinite:
      return Refusal::kNotFinite;
    case NumberError::kOutOfRange:
      return Refusal::kOutOfRange;
  }
  return Refusal::kBadValue;
}

// The last four fields of seven: sum of squares, min, max, count.
std::optional<Refusal> read_ready_bucket(const Fields& fields, ReadyBucket& ready) {
  if (const auto refusal = read_number(fields[3], ready.sum_of_squares)) return refusal;
  if (const auto refusal = read_number(fields[4], ready.min)) return refusal;
  if (const auto refusal = read_number(fields[5], ready.max)) return refusal;
  const auto [end, error] = read_integer(fields[6], ready.count);
  if (error == std::errc::result_out_of_range) return Refusal::kOutOfRange;
  return error == std::errc{} ? std::nullopt : std::optional(Refusal::kBadValue);
}

// Everything after the name. Of the seven fields of an event only time and sum mean anything, as in istatd.
std::optional<Refusal> read_values(const Fields& fields, Sample& sample) {
  if (fields.count == 2) return read_number(fields[1], sample.value);
  if (read_integer(fields[1], sample.time_s.emplace()).ec != std::errc{}) return Refusal::kBadTime;
  if (const auto refusal = read_number(fields[2], sample.value)) return refusal;
  if (fields.count == 3 || sample.kind == Kind::kEvent) return std::nullopt;
  return read_ready_bucket(fields, sample.ready.emplace());
}

// The names that "base^a^b" stands for: base.a and base.b; with a caret at the end, base too.
struct FanOut {
  std::string_view base;
  std::array<std::string_view, kFanOutMax> parts;  // an empty part stands for the base itself
  size_t count = 0;

  std::string name(size_t i) const {
    std::string name(base);
    if (!base.empty() && !parts[i].empty()) name.push_back('.');
    return name.append(parts[i]);
  }
};

// Requires: a caret in `name`.
std::optional<Refusal> read_fan_out(std::string_view name, FanOut& fan_out) {
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
  return std::nullopt;
}

uint8_t classes_of(std::string_view text) {
  uint8_t classes = 0;
  for (const char c : text) classes |= class_of(c);
  return classes;
}

std::optional<Refusal> read_fan_out_line(std::string_view name, const Fields& fields, Kind kind,
                                         Batch& batch) {
  FanOut fan_out;
  if (const auto refusal = read_fan_out(name, fan_out)) return refusal;
  Sample sample;
  sample.kind = kind;
  if (const auto refusal = read_values(fields, sample)) return refusal;
  for (size_t i = 0; i < fan_out.count; ++i) {
    sample.name = batch.keep(normal_name(fan_out.name(i)));
    batch.samples.push_back(sample);
  }
  batch.received += fan_out.count;
  return std::nullopt;
}

std::optional<Refusal> read_plain_line(std::string_view name, bool is_normal, const Fields& fields, Kind kind,
                                       Batch& batch) {
  if (name.empty()) return Refusal::kEmptyName;
  if (name.size() > kNameBytesMax) return Refusal::kNameTooLong;
  Sample& sample = batch.samples.emplace_back();
  sample.kind = kind;
  if (const auto refusal = read_values(fields, sample)) {
    batch.samples.pop_back();
    return refusal;
  }
  sample.name = is_normal ? name : batch.keep(normal_name(name));
  ++batch.received;
  return std::nullopt;
}

void parse_sample_line(std::string_view line, Batch& batch) {
  const Fields fields = split_fields(line);
  if (fields.count == 0) return;
  if (fields.count != 2 && fields.count != 3 && fields.count < Fields::kMax) {
    return batch.refuse(Refusal::kFieldCount);
  }
  std::string_view name = fields[0];
  const Kind kind = name.front() == '*' ? Kind::kEvent : Kind::kGauge;
  if (kind == Kind::kEvent) name.remove_prefix(1);
  const uint8_t classes = classes_of(name);
  const auto refusal = (classes & kCaret) != 0
                           ? read_fan_out_line(name, fields, kind, batch)
                           : read_plain_line(name, (classes & kMunged) == 0, fields, kind, batch);
  if (refusal) return batch.refuse(*refusal);
  if (fields.count > Fields::kMax) ++batch.extra_fields;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

void parse_metadata(std::string_view line, Batch& batch) {  // without the #
  line = trimmed(line);
  size_t key_end = 0;
  while (key_end < line.size() && !is_space(line[key_end])) ++key_end;
  const std::string_view text = trimmed(line.substr(key_end));
  if (text.empty()) return batch.refuse(Refusal::kBadMetadata);
  batch.metadata.push_back({line.substr(0, key_end), text});
}

}  // namespace

void parse_istatd_line(std::string_view line, Batch& batch) {
  if (line.empty()) return;
  if (line.size() > kLineBytesMax) return batch.refuse(Refusal::kLineTooLong);
  switch (line.front()) {
    case '#':
      return parse_metadata(line.substr(1), batch);
    case '@':
    case '$':
    case '%':
    case '&':
    case ';':
    case ':':
      return batch.refuse(Refusal::kReserved);
    default:
      return parse_sample_line(line, batch);
  }
}

void parse_istatd_lines(std::string_view bytes, Batch& batch) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    parse_istatd_line(bytes.substr(0, end), batch);
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
  }
}

bool is_normal_name(std::string_view name) {
  for (const char c : name) {
    if (normal_byte(c) != c) return false;
  }
  return true;
}

std::string normal_name(std::string_view name) {
  std::string normal(name);
  for (char& c : normal) c = normal_byte(c);
  return normal;
}

}  // namespace statmill
