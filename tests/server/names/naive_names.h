// A plain list of names, searched name by name: what NameIndex must agree with.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "base/text.h"
#include "proto/name_escapes.h"
#include "proto/prometheus/labels_name.h"
#include "server/names/label_matcher.h"

namespace statmill {

// Matches plain bytes, `.` and `[ab]`, each perhaps with `*` or `+` after it, by backtracking.
inline bool naive_match_here(std::string_view r, std::string_view t) {
  if (r.empty()) return t.empty();
  const size_t atom = r[0] == '[' ? r.find(']') + 1 : 1;
  const auto is_one = [&](char c) {
    if (r[0] == '[') return r.substr(1, atom - 2).find(c) != std::string_view::npos;
    return r[0] == '.' || r[0] == c;
  };
  const char repeat = atom < r.size() ? r[atom] : '\0';
  if (repeat != '*' && repeat != '+')
    return !t.empty() && is_one(t[0]) && naive_match_here(r.substr(atom), t.substr(1));
  size_t most = 0;
  while (most < t.size() && is_one(t[most])) ++most;
  for (size_t n = repeat == '+' ? 1 : 0; n <= most; ++n) {
    if (naive_match_here(r.substr(atom + 1), t.substr(n))) return true;
  }
  return false;
}

// The same with alternatives, perhaps in one pair of brackets around all.
inline bool naive_regex(std::string_view r, std::string_view t) {
  if (r.size() >= 2 && r.front() == '(' && r.back() == ')') r = r.substr(1, r.size() - 2);
  for (size_t begin = 0; begin <= r.size();) {
    const size_t end = std::min(r.find('|', begin), r.size());
    if (naive_match_here(r.substr(begin, end - begin), t)) return true;
    begin = end + 1;
  }
  return false;
}

// The value of a label of a name; empty if there is none.
inline std::string naive_label(std::string_view name, std::string_view label) {
  if (label.size() == 8 && label.starts_with("__n0")) {
    const auto parts = split(parts_of(name).path, '.');
    const size_t n = static_cast<size_t>(label[4] - '0') * 10 + static_cast<size_t>(label[5] - '0');
    return n < parts.size() ? unescaped(parts[n]) : std::string();
  }
  for (const auto& [key, value] : labels_of(name)) {
    if (key == label) return value;
  }
  return {};
}

inline bool naive_satisfies(std::string_view name, const LabelMatcher& matcher) {
  using Op = LabelMatcher::Op;
  const bool is_negated = matcher.op == Op::kNotEqual || matcher.op == Op::kMatchesNot;
  if (matcher.label == "__graphite__") return Glob::parse(matcher.value)->matches(name) != is_negated;
  const std::string value = naive_label(name, matcher.label);
  const bool is_text = matcher.op == Op::kEqual || matcher.op == Op::kNotEqual;
  return (is_text ? value == matcher.value : naive_regex(matcher.value, value)) != is_negated;
}

using NameSet = std::multiset<std::string>;

inline NameSet naive_select(const NameSet& names, const std::vector<LabelMatcher>& matchers) {
  NameSet out;
  for (const std::string& name : names) {
    const auto is_satisfied = [&](const LabelMatcher& m) { return naive_satisfies(name, m); };
    if (std::all_of(matchers.begin(), matchers.end(), is_satisfied)) out.insert(name);
  }
  return out;
}

}  // namespace statmill
