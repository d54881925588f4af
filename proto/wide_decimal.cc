#include "proto/wide_decimal.h"

#include <algorithm>
#include <array>

namespace statmill {
namespace {

bool is_decimal_digit(char c) { return '0' <= c && c <= '9'; }

}  // namespace

std::optional<WideDecimal> parse_wide_decimal(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const size_t point = std::min(text.find('.'), text.size());
  std::string_view whole = text.substr(0, point);
  std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  const bool has_digits = !whole.empty() && (point == text.size() || !fraction.empty());
  if (!has_digits || !std::ranges::all_of(whole, is_decimal_digit) ||
      !std::ranges::all_of(fraction, is_decimal_digit))
    return std::nullopt;
  fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  if (fraction.size() > WideDecimal::kScaleMax || whole.size() + fraction.size() > WideDecimal::kDigitsMax)
    return std::nullopt;
  WideDecimal out{.scale = static_cast<int8_t>(fraction.size())};
  for (const std::string_view part : {whole, fraction}) {
    for (const char c : part) out.integer = out.integer * 10 + (c - '0');
  }
  if (is_negative) out.integer = -out.integer;
  return out;
}

void append_wide_decimal(std::string& out, Int128 integer, int scale) {
  constexpr size_t kRoom = 48;  // 39 digits, or 36 zeros before the last of them
  std::array<char, kRoom> room;
  char* const end = room.data() + room.size();
  char* at = end;
  auto rest = static_cast<Uint128>(integer < 0 ? -integer : integer);
  for (; scale > 0 && rest % 10 == 0; --scale) rest /= 10;
  for (int digits = 0; rest != 0 || digits <= scale; ++digits) {
    if (digits == scale && scale > 0) *--at = '.';
    *--at = static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  }
  if (integer < 0) *--at = '-';
  out.append(at, end);
}

}  // namespace statmill
