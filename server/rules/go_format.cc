#include "server/rules/go_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "server/promql/literals.h"

namespace statmill::rules {
namespace {

constexpr int kWidthMax = 100;

struct Verb {
  std::string flags;
  int width = 0;
  std::optional<int> precision;
  char letter = '\0';  // '\0': the format ends before it
};

int consume_count(std::string_view format, size_t& at) {
  int out = 0;
  for (; at < format.size() && '0' <= format[at] && format[at] <= '9'; ++at)
    out = std::min(out * 10 + (format[at] - '0'), kWidthMax);
  return out;
}

Verb consume_verb(std::string_view format, size_t& at) {
  Verb out;
  for (; at < format.size() && std::string_view("+-# 0").find(format[at]) != std::string_view::npos; ++at) {
    if (out.flags.find(format[at]) == std::string::npos) out.flags.push_back(format[at]);
  }
  out.width = consume_count(format, at);
  if (at < format.size() && format[at] == '.') {
    ++at;
    out.precision = consume_count(format, at);
  }
  if (at < format.size()) out.letter = format[at++];
  return out;
}

std::string padded(std::string text, const Verb& verb) {
  const auto width = static_cast<size_t>(verb.width);
  if (text.size() >= width) return text;
  const bool is_left = verb.flags.find('-') != std::string::npos;
  return is_left ? text.append(width - text.size(), ' ') : text.insert(0, width - text.size(), ' ');
}

std::string float_text(double value, const Verb& verb) {
  if (!std::isfinite(value) || (verb.letter == 'g' && !verb.precision)) {
    std::string text;
    promql::append_float(text, value);
    return padded(std::move(text), verb);
  }
  const std::string format = "%" + verb.flags + "*.*" + verb.letter;
  std::array<char, 512> out{};  // 309 digits before the point, kWidthMax after it
  const int size =
      std::snprintf(out.data(), out.size(), format.c_str(), verb.width, verb.precision.value_or(6), value);
  return {out.data(), std::min(static_cast<size_t>(size), out.size() - 1)};
}

std::string integer_text(int64_t value, const Verb& verb) {
  const std::string format = "%" + verb.flags + "*l" + verb.letter;
  std::array<char, 256> out{};
  const int size = std::snprintf(out.data(), out.size(), format.c_str(), verb.width, value);
  return {out.data(), std::min(static_cast<size_t>(size), out.size() - 1)};
}

std::string cut(std::string text, const Verb& verb) {
  if (!verb.precision) return text;
  size_t end = 0;  // in characters, as in Go
  for (int i = 0; i < *verb.precision && end < text.size(); ++i)
    end += promql::first_character(std::string_view(text).substr(end)).size;
  text.resize(end);
  return text;
}

std::string misfit(const TemplateValue& value, const Verb& verb) {
  return std::string("%!") + verb.letter + "(" + std::string(type_name(value)) + "=" + text_of(value) + ")";
}

std::string formatted(const TemplateValue& value, const Verb& verb) {
  const auto* number = std::get_if<double>(&value);
  const auto* integer = std::get_if<int64_t>(&value);
  const auto* text = std::get_if<std::string>(&value);
  switch (verb.letter) {
    case 'v': {
      Verb general = verb;
      general.letter = 'g';
      return number != nullptr ? float_text(*number, general) : padded(text_of(value), verb);
    }
    case 's':
      return text != nullptr ? padded(cut(*text, verb), verb) : misfit(value, verb);
    case 'q':
      return text != nullptr ? padded(promql::quoted_text(cut(*text, verb)), verb) : misfit(value, verb);
    case 't':
      return std::holds_alternative<bool>(value) ? padded(text_of(value), verb) : misfit(value, verb);
    case 'd':
    case 'x':
    case 'X':
    case 'o':
      return integer != nullptr ? integer_text(*integer, verb) : misfit(value, verb);
    case 'c': {
      if (integer == nullptr || *integer < 0 || *integer > 0x10ffff) return misfit(value, verb);
      std::string out;
      promql::append_utf8(out, static_cast<char32_t>(*integer));
      return padded(std::move(out), verb);
    }
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return number != nullptr ? float_text(*number, verb) : misfit(value, verb);
    default:
      return misfit(value, verb);
  }
}

}  // namespace

std::string go_format(std::string_view format, std::span<const TemplateValue> arguments, size_t bytes_max) {
  std::string out;
  size_t used = 0;
  for (size_t at = 0; at < format.size() && out.size() <= bytes_max;) {
    if (format[at] != '%') {
      out.push_back(format[at++]);
      continue;
    }
    const Verb verb = consume_verb(format, ++at);
    if (verb.letter == '\0') {
      out += "%!(NOVERB)";
    } else if (verb.letter == '%') {
      out.push_back('%');
    } else if (used == arguments.size()) {
      out.append("%!").append(1, verb.letter).append("(MISSING)");
    } else {
      out += formatted(arguments[used++], verb);
    }
  }
  if (used < arguments.size() && out.size() <= bytes_max) {
    out += "%!(EXTRA ";
    for (size_t i = used; i < arguments.size() && out.size() <= bytes_max; ++i) {
      if (i > used) out += ", ";
      out.append(type_name(arguments[i])).append("=").append(text_of(arguments[i]));
    }
    out.push_back(')');
  }
  return out;
}

}  // namespace statmill::rules
