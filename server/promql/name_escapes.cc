#include "server/promql/name_escapes.h"

#include <charconv>
#include <cstdint>
#include <optional>

#include "server/promql/literals.h"

namespace statmill::promql {
namespace {

constexpr std::string_view kPrefix = "U__";
constexpr size_t kDigitsMax = 6;  // of the last code point, 10ffff

std::optional<char32_t> parse_code_point(std::string_view digits) {
  if (digits.empty() || digits.size() > kDigitsMax) return std::nullopt;
  uint32_t code = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (is_surrogate || code > 0x10ffff) return std::nullopt;
  return static_cast<char32_t>(code);
}

}  // namespace

std::string unescaped_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::string(name);
  std::string out;
  std::string_view rest = name.substr(kPrefix.size());
  while (!rest.empty()) {
    const size_t begin = rest.find('_');
    out += rest.substr(0, begin);
    if (begin == std::string_view::npos) return out;
    const size_t end = rest.find('_', begin + 1);
    if (end == std::string_view::npos) return std::string(name);
    if (end == begin + 1) {
      out += '_';
    } else {
      const auto code = parse_code_point(rest.substr(begin + 1, end - begin - 1));
      if (!code) return std::string(name);
      append_utf8(out, *code);
    }
    rest.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace statmill::promql
