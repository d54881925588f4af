// See glob.h. Two pointers and one backtrack point: the last star seen (greedy; no recursion).
#include "base/glob.h"

#include <cstdint>

namespace statmill {
namespace {

// Position after the set that opens at pattern[p] == '[', or npos when it is not closed.
size_t set_end(std::string_view pattern, size_t p) {
  size_t end = p + 1;
  if (end < pattern.size() && pattern[end] == '!') ++end;
  if (end < pattern.size() && pattern[end] == ']') ++end;  // a ] right at the start is a member
  end = pattern.find(']', end);
  return end == std::string_view::npos ? end : end + 1;
}

bool in_range(char first, char c, char last) {  // as bytes: 128 comes after 127
  const auto byte = static_cast<uint8_t>(c);
  return static_cast<uint8_t>(first) <= byte && byte <= static_cast<uint8_t>(last);
}

bool set_contains(std::string_view set, char c) {  // set without the brackets
  const bool negated = !set.empty() && set[0] == '!';
  if (negated) set.remove_prefix(1);
  bool found = false;
  for (size_t i = 0; i < set.size() && !found; ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found = in_range(set[i], c, set[i + 2]);
      i += 2;
    } else {
      found = set[i] == c;
    }
  }
  return found != negated;
}

// Whether the single-byte unit of pattern at p matches c; sets `next` to the position after the unit.
bool unit_matches(std::string_view pattern, size_t p, char c, size_t& next) {
  next = p + 1;
  if (pattern[p] == '?') return c != '.';
  if (pattern[p] == '[') {
    next = set_end(pattern, p);
    return set_contains(pattern.substr(p + 1, next - p - 2), c);
  }
  return pattern[p] == c;
}

bool match_one(std::string_view pattern, std::string_view name) {
  size_t p = 0;
  size_t n = 0;
  size_t star = std::string_view::npos;
  size_t star_name = 0;
  while (n < name.size()) {
    size_t next = 0;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && unit_matches(pattern, p, name[n], next)) {
      p = next;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Status check_sets(std::string_view pattern) {
  for (size_t p = 0; p < pattern.size(); ++p) {
    if (pattern[p] != '[') continue;
    const size_t end = set_end(pattern, p);
    if (end == std::string_view::npos) return Error{ErrorCode::kInvalid, "glob: [ without ]"};
    p = end - 1;
  }
  return Status::ok();
}

}  // namespace

bool Glob::is_pattern(std::string_view text) { return text.find_first_of("*?[{") != std::string_view::npos; }

Result<Glob> Glob::parse(std::string_view pattern) {
  if (pattern.empty()) return Error{ErrorCode::kInvalid, "glob: empty pattern"};
  if (pattern.size() > kPatternBytesMax) return Error{ErrorCode::kLimit, "glob: longer than 1024 bytes"};
  Glob glob;
  glob.text_ = pattern;
  glob.alternatives_.emplace_back();
  size_t at = 0;
  while (at < pattern.size()) {
    const size_t open = pattern.find('{', at);
    for (std::string& a : glob.alternatives_) a.append(pattern.substr(at, open - at));
    if (open == std::string_view::npos) break;
    const size_t close = pattern.find('}', open);
    if (close == std::string_view::npos) return Error{ErrorCode::kInvalid, "glob: { without }"};
    std::string_view choices = pattern.substr(open + 1, close - open - 1);
    if (choices.find('{') != std::string_view::npos) return Error{ErrorCode::kInvalid, "glob: { inside { }"};
    std::vector<std::string> product;
    for (bool more = true; more;) {
      const size_t comma = choices.find(',');
      more = comma != std::string_view::npos;
      for (const std::string& a : glob.alternatives_)
        product.push_back(a + std::string(choices.substr(0, comma)));
      if (product.size() > kAlternativesMax)
        return Error{ErrorCode::kLimit, "glob: more than 64 alternatives"};
      if (more) choices.remove_prefix(comma + 1);
    }
    glob.alternatives_ = std::move(product);
    at = close + 1;
  }
  for (const std::string& a : glob.alternatives_) {
    if (Status s = check_sets(a); !s) return s.error();
  }
  return glob;
}

bool Glob::matches(std::string_view name) const {
  for (const std::string& a : alternatives_) {
    if (match_one(a, name)) return true;
  }
  return false;
}

}  // namespace statmill
