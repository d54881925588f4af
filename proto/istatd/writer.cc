// Writes millions of lines per second: it reserves room for a whole line once, then writes through pointers.
#include "proto/istatd/writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "base/bytes16.h"
#include "proto/istatd/exact_line.h"
#include "proto/normal_name.h"
#include "proto/wide_decimal.h"

namespace statmill {
namespace {

// Marks the bytes that istatd's listener may rewrite or treat specially. The
// others are certainly stored unchanged.
constexpr auto is_not_plain = [](Bytes16 b) -> Mask16 {
  const Mask16 is_letter = b - 'a' < 26;
  const Mask16 is_digit_point_dash = (b - '-' < 13) & (b != '/');
  const Mask16 is_tag_byte = (b == ';') | (b == '=') | (b == '_');
  return ~(is_letter | is_digit_point_dash | is_tag_byte);
};

constexpr std::string_view kMarks = "*%#@$&;:";  // have a special meaning at the begin of a line

constexpr size_t kNumberRoom = 40;    // enough for any number: 18 digits, an exponent, leading zeros
constexpr size_t kNumbersRoom = 256;  // enough for a line without name and cells
constexpr size_t kCellRoom = 32;      // more than " -65504:281474976710656"

// The put functions write at `at` and return the end of what they wrote. Require: enough room.
char* put(char* at, std::string_view text) { return std::copy(text.begin(), text.end(), at); }

template <class Integer>
char* put_integer(char* at, Integer value) {
  return std::to_chars(at, at + kNumberRoom, value).ptr;
}

char* put_number(char* at, const Number& number) {
  if (!number.is_decimal()) return std::to_chars(at, at + kNumberRoom, number.value()).ptr;
  if (number.mantissa < 0) *at++ = '-';
  const int64_t mantissa = number.mantissa < 0 ? -number.mantissa : number.mantissa;
  if (number.scale == 0) return put_integer(at, mantissa);
  std::array<char, Number::kScaleMax + 1 + kNumberRoom> room;
  char* const digits = room.data() + Number::kScaleMax + 1;
  const char* const end = put_integer(digits, mantissa);
  char* first = digits;
  while (end - first <= number.scale) *--first = '0';
  const char* const point = end - number.scale;
  at = std::copy(static_cast<const char*>(first), point, at);
  *at++ = '.';
  return std::copy(point, end, at);
}

char* put_field(char* at, const Number& number) {
  *at++ = ' ';
  return put_number(at, number);
}

char* put_squares(char* at, const ReadyBucket& ready) {
  *at++ = ' ';
  if (ready.has_deviations) *at++ = kDeviationsMark;
  if (ready.squares_scale < 0) return put_number(at, ready.sum_of_squares);
  std::string text;
  append_wide_decimal(text, ready.exact_squares, ready.squares_scale);
  return put(at, text);
}

// Writes the sum of squares and all fields after it.
char* put_rest(char* at, const ReadyBucket& ready) {
  at = put_squares(at, ready);
  at = put_field(at, ready.min);
  at = put_field(at, ready.max);
  *at++ = ' ';
  at = put_integer(at, ready.count);
  for (const HistogramCell& cell : ready.cells) {
    *at++ = ' ';
    at = put_integer(at, cell.index);
    *at++ = ':';
    at = put_integer(at, cell.count);
  }
  return at;
}

}  // namespace

bool is_plain_line_name(std::string_view name) {
  if (name.empty() || kMarks.find(name.front()) != std::string_view::npos) return false;
  const char* const end = name.data() + name.size();
  if (find_first(name.data(), name.data(), end, is_not_plain) == end) return true;
  return is_normal_name(name) && name.find('^') == std::string_view::npos;
}

namespace {

// Returns true if the line must carry a whole ready-made bucket. An amount needs only its sum.
bool is_open(const Sample& sample) { return sample.ready != nullptr && !adds_up(sample.kind); }

// Returns true for buckets with what only exact lines have.
bool is_wide(const Sample& sample) {
  if (!is_open(sample)) return false;
  const bool is_sum_wide =
      sample.value.is_decimal() && std::abs(sample.value.mantissa) > Number::kMantissaMax;
  return is_sum_wide || sample.ready->has_deviations || sample.ready->squares_scale >= 0;
}

bool has_ordinary_form(const Sample& sample) {
  if (sample.kind == Kind::kCounter || is_wide(sample)) return false;
  return !is_open(sample) || sample.kind == Kind::kGauge;
}

char* put_line(char* at, const Sample& sample) {
  if (!has_ordinary_form(sample) || !is_plain_line_name(sample.name)) {
    for (const char c : {kExactMark, exact_letter(sample.kind), ' '}) *at++ = c;
  } else if (sample.kind != Kind::kGauge) {
    *at++ = sample.kind == Kind::kEvent ? '*' : '%';
  }
  at = put(at, sample.name);
  *at++ = ' ';
  at = put_integer(at, *sample.time_s);
  at = put_field(at, sample.value);
  if (is_open(sample)) at = put_rest(at, *sample.ready);
  *at++ = '\n';
  return at;
}

}  // namespace

void append_number(std::string& out, const Number& number) {
  std::array<char, kNumberRoom> text;
  out.append(text.data(), put_number(text.data(), number));
}

void append_line(std::string& out, const Sample& sample) {
  const size_t cells = is_open(sample) ? sample.ready->cells.size() : 0;
  if (cells == 0 && sample.name.size() <= kNameBytesMax) {
    std::array<char, kNameBytesMax + kNumbersRoom> line;  // avoids zeroing the string first
    out.append(line.data(), put_line(line.data(), sample));
    return;
  }
  const size_t before = out.size();
  out.resize(before + sample.name.size() + kNumbersRoom + cells * kCellRoom);
  const char* const end = put_line(out.data() + before, sample);
  out.resize(static_cast<size_t>(end - out.data()));
}

}  // namespace statmill
