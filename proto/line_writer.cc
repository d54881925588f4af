// See line_writer.h. Written for millions of lines a second: into a buffer of its own, then appended once.
#include "proto/line_writer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/bytes16.h"
#include "proto/exact_line.h"
#include "proto/istatd_lines.h"

namespace statmill {
namespace {

// Of every byte that may stand in a name without being rewritten, or read as more than a byte of it.
constexpr auto is_odd = [](Bytes16 b) -> Mask16 {
  const Mask16 is_letter = b - 'a' < 26;
  const Mask16 is_digit_point_dash = (b - '-' < 13) & (b != '/');
  const Mask16 is_of_tags = (b == ';') | (b == '=') | (b == '_');
  return ~(is_letter | is_digit_point_dash | is_of_tags);
};

constexpr std::string_view kMarks = "*%#@$&;:";  // in front of a line they say more than a name

template <class Integer>
void append_integer(std::string& out, Integer value) {
  std::array<char, 24> digits;
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void append_field(std::string& out, const Number& number) {
  out.push_back(' ');
  append_number(out, number);
}

// Sum of squares and all behind it.
void append_rest(std::string& out, const ReadyBucket& ready) {
  append_field(out, ready.sum_of_squares);
  append_field(out, ready.min);
  append_field(out, ready.max);
  out.push_back(' ');
  append_integer(out, ready.count);
  for (const HistogramCell& cell : ready.cells) {
    out.push_back(' ');
    append_integer(out, cell.index);
    out.push_back(':');
    append_integer(out, cell.count);
  }
}

}  // namespace

bool is_plain_line_name(std::string_view name) {
  if (name.empty() || kMarks.find(name.front()) != std::string_view::npos) return false;
  const char* const end = name.data() + name.size();
  if (find_first(name.data(), name.data(), end, is_odd) == end) return true;
  return is_normal_name(name) && name.find('^') == std::string_view::npos;
}

void append_number(std::string& out, const Number& number) {
  std::array<char, 40> text;
  char* const begin = text.data() + Number::kScaleMax + 1;  // room for zeros in front
  char* const room_end = text.data() + text.size();
  if (!number.is_decimal()) {
    out.append(begin, std::to_chars(begin, room_end, number.value()).ptr);
    return;
  }
  if (number.mantissa < 0) out.push_back('-');
  const int64_t digits = number.mantissa < 0 ? -number.mantissa : number.mantissa;
  const char* const end = std::to_chars(begin, room_end, digits).ptr;
  const char* first = begin;
  for (; end - first <= number.scale; --first) text[static_cast<size_t>(first - text.data()) - 1] = '0';
  const char* const point = end - number.scale;
  out.append(first, point);
  if (number.scale == 0) return;
  out.push_back('.');
  out.append(point, end);
}

void append_line(std::string& out, const Sample& sample) {
  const bool is_open = sample.ready != nullptr && sample.kind != Kind::kEvent;
  const bool has_words = !is_open || sample.kind == Kind::kGauge;
  if (!has_words || !is_plain_line_name(sample.name)) {
    out.push_back(kExactMark);
    out.push_back(exact_letter(sample.kind));
    out.push_back(' ');
  } else if (sample.kind != Kind::kGauge) {
    out.push_back(sample.kind == Kind::kEvent ? '*' : '%');
  }
  out.append(sample.name).push_back(' ');
  append_integer(out, *sample.time_s);
  append_field(out, sample.value);
  if (is_open) append_rest(out, *sample.ready);
  out.push_back('\n');
}

}  // namespace statmill
