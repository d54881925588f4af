// Parsing helpers shared by the line dialects: white space, fields, integers, and numbers with refusals.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/bytes16.h"
#include "base/verdict.h"
#include "proto/sample.h"

namespace statmill {

// isspace() of the C locale. It is a table because both ends of every field are checked: comparisons cost
// 13 ns more for a line of three fields.
inline constexpr std::array<bool, 256> kIsSpace = [] {
  std::array<bool, 256> is_space{};
  for (const char c : {' ', '\t', '\n', '\v', '\f', '\r'}) is_space[static_cast<uint8_t>(c)] = true;
  return is_space;
}();
constexpr bool is_space(char c) { return kIsSpace[static_cast<uint8_t>(c)]; }

inline constexpr uint64_t kOnes = 0x0101010101010101;  // multiplied by a byte, repeats it eight times

inline uint64_t word_at(const char* at) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

// Returns the first eight bytes of [at, end), padded with zeros. Reads nothing outside
// [begin, end). Requires: begin <= at < end.
inline uint64_t word_at(const char* begin, const char* at, const char* end) {
  if (end - at >= 8) return word_at(at);
  if (end - begin >= 8) return word_at(end - 8) >> (64 - 8 * (end - at));
  uint64_t word = 0;
  while (end != at) word = word << 8 | static_cast<uint8_t>(*--end);
  return word;
}

// Returns the first white space in [at, end), or end. It tests eight bytes at once: a byte below 33 leaves
// its top bit set, and the lowest such bit is never a false one (borrows only go up).
inline const char* find_space(const char* at, const char* end) {
  while (end - at >= 8) {
    const uint64_t word = word_at(at);
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

// Reads a text from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  bool is_at_end() const { return at_ == end_; }
  char front() const { return *at_; }  // Requires: !is_at_end()
  bool skip(char byte) {
    if (at_ == end_ || *at_ != byte) return false;
    ++at_;
    return true;
  }
  void advance(size_t size) { at_ += size; }  // Requires: rest().size() >= size
  std::string_view rest() const { return {at_, static_cast<size_t>(end_ - at_)}; }
  // Consumes and returns the text before the first of the stop bytes; the whole rest if there is none.
  template <char... kStops>
  std::string_view until() {
    const char* const from = at_;
    at_ = find_first(begin_, at_, end_,
                     [](Bytes16 bytes) -> Mask16 { return ((bytes == sixteen(kStops)) | ...); });
    return {from, static_cast<size_t>(at_ - from)};
  }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
};

inline std::string_view trimmed(std::string_view text) {
  // The common case. A byte over 126 (negative as a char) goes through the loops, which keep it.
  if (!text.empty() && text.front() > ' ' && text.back() > ' ') return text;
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The fields of a line. The arrays are not zeroed, since that would cost as much as finding the fields.
template <size_t kFieldsMax>
struct Fields {
  static constexpr size_t kMax = kFieldsMax;

  size_t count = 0;  // kMax + 1 if the line has more fields
  std::array<const char*, kMax> begin;
  std::array<const char*, kMax> end;

  std::string_view operator[](size_t i) const { return {begin[i], static_cast<size_t>(end[i] - begin[i])}; }
};

// Splits a line at white space. This and parse_integer() are inlined because calls took 8
// of the 119 ns of a line of three fields.
template <size_t kFieldsMax>
[[gnu::always_inline]] inline Fields<kFieldsMax> split_fields(std::string_view line) {
  Fields<kFieldsMax> fields;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) return fields;
    if (fields.count == kFieldsMax) {
      ++fields.count;
      return fields;
    }
    fields.begin[fields.count] = at;
    at = find_space(at, end);
    fields.end[fields.count++] = at;
  }
}

// Parses the whole text as an integer with an optional sign. Refuses with kOutOfRange a number that does not
// fit, and with kBadValue all other text. base/number_text.h has the form for text that is not a line: it
// accepts no plus, and does not tell the two apart.
template <class Integer>
[[gnu::always_inline]] inline Verdict<Refusal> parse_integer(std::string_view text, Integer& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [parsed_end, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && parsed_end == end) [[likely]]
    return kAccepted;
  const bool is_integer = error == std::errc::result_out_of_range && parsed_end == end;
  return is_integer ? Refusal::kOutOfRange : Refusal::kBadValue;
}

// Calls `parse` with each line of `bytes`, without LF; the last line needs no LF. Before that, calls
// `parse_fast` with the line's begin and the end of `bytes`: if it returns the begin of the next line instead
// of nullptr, `parse` is not called for the line.
template <class ParseFast, class Parse>
void for_each_line(std::string_view bytes, const ParseFast& parse_fast, const Parse& parse) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    if (const char* const next_line = parse_fast(at, end)) {
      at = next_line;
      continue;
    }
    const auto* const lf = static_cast<const char*>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
    const char* const line_end = lf == nullptr ? end : lf;
    parse(std::string_view(at, static_cast<size_t>(line_end - at)));
    at = lf == nullptr ? end : lf + 1;
  }
}
template <class Parse>
void for_each_line(std::string_view bytes, const Parse& parse) {
  for_each_line(
      bytes, [](const char*, const char*) -> const char* { return nullptr; }, parse);
}

}  // namespace statmill
