#include "server/http/url.h"

#include <algorithm>

#include "base/text.h"

namespace statmill {
namespace {

// The value of a hexadecimal digit, or -1.
int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Returns the byte that the escape at text[i] == '%' encodes, or -1 if the escape is invalid.
int escaped_byte(std::string_view text, size_t i) {
  if (i + 2 >= text.size()) return -1;
  const int high = hex_digit(text[i + 1]);
  const int low = hex_digit(text[i + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

// Requires: check_target() accepts the text.
std::string decode(std::string_view text, char plus) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      out.push_back(static_cast<char>(escaped_byte(text, i)));
      i += 2;
    } else {
      out.push_back(text[i] == '+' ? plus : text[i]);
    }
  }
  return out;
}

Verdict<HttpRefusal> check_escapes(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && escaped_byte(text, i) <= 0) return HttpRefusal::kBadEscape;
  }
  return kAccepted;
}

// Requires: all escapes are valid.
bool is_ambiguous(std::string_view path) {
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') continue;
    const int byte = escaped_byte(path, i);
    if (byte < 0x20 || byte == 0x7f || byte == '/' || byte == '\\') return true;
  }
  const std::string decoded = decode(path, '+') + "/";
  return path.find("//") != std::string_view::npos || decoded.find("/./") != std::string::npos ||
         decoded.find("/../") != std::string::npos;
}

Result<std::vector<Parameter>> parse_pairs(std::string_view text) {
  std::vector<Parameter> parameters;
  for (const std::string_view pair : split(text, '&')) {
    const size_t equals = std::min(pair.find('='), pair.size());
    if (equals == 0) return Error{ErrorCode::kInvalid, "a parameter has no name"};
    const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
    parameters.push_back({decode(pair.substr(0, equals), ' '), decode(value, ' ')});
  }
  return parameters;
}

std::string list_of(std::span<const ParameterRule> rules) {
  std::string text;
  for (const ParameterRule& rule : rules) text.append(text.empty() ? "" : ", ").append(rule.name);
  return text.empty() ? "there are none" : "known: " + text;
}

}  // namespace

std::optional<std::string_view> Url::find(std::string_view name) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return parameter.value;
  }
  return std::nullopt;
}

Verdict<HttpRefusal> check_target(std::string_view target) {
  if (target.size() > kTargetBytesMax) return HttpRefusal::kTargetTooLong;
  if (!target.starts_with('/')) return HttpRefusal::kBadTarget;
  for (const char c : target) {
    if (c <= 0x20 || c >= 0x7f || c == '#' || c == '\\') return HttpRefusal::kBadTarget;
  }
  if (const auto verdict = check_escapes(target); verdict.is_refused()) return verdict;
  if (is_ambiguous(target.substr(0, target.find('?')))) return HttpRefusal::kAmbiguousPath;
  return kAccepted;
}

Result<Url> parse_url(std::string_view target) {
  if (const auto verdict = check_target(target); verdict.is_refused()) {
    return Error{ErrorCode::kInvalid, std::string(refusal_info(verdict.reason()).text)};
  }
  const size_t mark = target.find('?');
  Url url{decode(target.substr(0, mark), '+'), {}};
  if (mark == std::string_view::npos) return url;
  Result<std::vector<Parameter>> parameters = parse_pairs(target.substr(mark + 1));
  if (!parameters) return parameters.error();
  url.parameters = *std::move(parameters);
  return url;
}

Result<std::vector<Parameter>> parse_form(std::string_view body) {
  if (check_escapes(body).is_refused()) {
    return Error{ErrorCode::kInvalid, "the form has an invalid percent escape or an escaped NUL"};
  }
  return parse_pairs(body);
}

Status check_parameters(const Url& url, std::span<const ParameterRule> rules) {
  std::vector<std::string_view> seen;
  for (const Parameter& parameter : url.parameters) {
    const auto is_it = [&](const ParameterRule& rule) { return rule.name == parameter.name; };
    const auto rule = std::find_if(rules.begin(), rules.end(), is_it);
    if (rule == rules.end()) {
      return Error{ErrorCode::kInvalid,
                   "unknown parameter \"" + parameter.name + "\" (" + list_of(rules) + ")"};
    }
    if (!rule->repeatable && std::find(seen.begin(), seen.end(), rule->name) != seen.end()) {
      return Error{ErrorCode::kInvalid, "parameter \"" + parameter.name + "\" is given more than once"};
    }
    seen.push_back(rule->name);
  }
  return Status::ok();
}

}  // namespace statmill
