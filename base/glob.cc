#include "base/glob.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace statmill {
namespace {

// Returns the position after the set that starts at pattern[p] == '[', or npos if it is not closed.
size_t set_end(std::string_view pattern, size_t p) {
  size_t end = p + 1;
  if (end < pattern.size() && pattern[end] == '!') ++end;
  if (end < pattern.size() && pattern[end] == ']') ++end;  // a ] at the start is a member
  end = pattern.find(']', end);
  return end == std::string_view::npos ? end : end + 1;
}

using ByteSet = std::bitset<256>;

// Returns the bytes in a set, given without its brackets. Ranges compare bytes as unsigned.
ByteSet set_of(std::string_view set) {
  const bool negated = !set.empty() && set[0] == '!';
  if (negated) set.remove_prefix(1);
  ByteSet out;
  for (size_t i = 0; i < set.size(); ++i) {
    const bool is_range = i + 2 < set.size() && set[i + 1] == '-';
    const auto first = static_cast<uint8_t>(set[i]);
    const auto last = static_cast<uint8_t>(is_range ? set[i + 2] : set[i]);
    for (size_t byte = first; byte <= last; ++byte) out.set(byte);
    if (is_range) i += 2;
  }
  return negated ? ~out : out;
}

// Returns the bytes that the unit at units[p] matches; moves p past the unit.
ByteSet unit_of(std::string_view units, size_t& p) {
  const size_t begin = p;
  p = units[begin] == '[' ? set_end(units, begin) : begin + 1;
  if (units[begin] == '[') return set_of(units.substr(begin + 1, p - begin - 2));
  ByteSet one;
  one.set(static_cast<uint8_t>(units[begin] == '?' ? '.' : units[begin]));
  return units[begin] == '?' ? ~one : one;
}

bool are_sets_closed(std::string_view pattern) {
  size_t p = pattern.find('[');
  while (p != std::string_view::npos) {
    const size_t end = set_end(pattern, p);
    if (end == std::string_view::npos) return false;
    p = pattern.find('[', end);
  }
  return true;
}

// Returns the texts between the commas; at least one.
std::vector<std::string_view> split_choices(std::string_view choices) {
  if (choices.empty()) return {choices};
  return split(choices, ',');
}

// Expands all braces: "a{b,c}" -> "ab", "ac".
Result<std::vector<std::string>> expand_braces(std::string_view pattern) {
  std::vector<std::string> expanded(1);
  while (true) {
    const size_t open = pattern.find('{');
    for (std::string& text : expanded) text.append(pattern.substr(0, open));
    if (open == std::string_view::npos) return expanded;
    const size_t close = pattern.find('}', open);
    if (close == std::string_view::npos) return Error{ErrorCode::kInvalid, "glob: { without }"};
    const std::string_view inside = pattern.substr(open + 1, close - open - 1);
    if (inside.find('{') != std::string_view::npos) return Error{ErrorCode::kInvalid, "glob: { inside { }"};
    const std::vector<std::string_view> choices = split_choices(inside);
    if (expanded.size() * choices.size() > Glob::kAlternativesMax)
      return Error{ErrorCode::kLimit, "glob: more than 64 alternatives"};
    std::vector<std::string> product;
    product.reserve(expanded.size() * choices.size());
    for (const std::string_view choice : choices) {
      for (const std::string& text : expanded) product.emplace_back(text).append(choice);
    }
    expanded = std::move(product);
    pattern.remove_prefix(close + 1);
  }
}

// Calls `visit(begin, end)` for each run of plain bytes in `units`.
template <class Visit>
void for_each_plain_run(std::string_view units, Visit visit) {
  size_t begin = 0;
  while (begin < units.size()) {
    const size_t end = std::min(units.find_first_of("?[", begin), units.size());
    if (begin < end) visit(begin, end);
    if (end == units.size()) return;
    begin = units[end] == '[' ? set_end(units, end) : end + 1;
  }
}

}  // namespace

GlobSegment::GlobSegment(std::string units) : units_(std::move(units)) {
  if (units_.find_first_of("?[") == std::string::npos) return;
  for (size_t p = 0; p < units_.size();) sets_.push_back(unit_of(units_, p));
  if (sets_.size() <= kNaiveMax) return;
  const size_t words = (sets_.size() + 63) / 64;
  masks_.resize(256 * words);
  for (size_t i = 0; i < sets_.size(); ++i) {
    for (size_t byte = 0; byte < 256; ++byte) {
      if (sets_[i][byte]) masks_[byte * words + i / 64] |= uint64_t{1} << (i % 64);
    }
  }
}

bool GlobSegment::are_in_sets(std::string_view text) const {
  return std::equal(text.begin(), text.end(), sets_.begin(),
                    [](char c, const ByteSet& set) { return set[static_cast<uint8_t>(c)]; });
}

size_t GlobSegment::find(std::string_view text, uint64_t& steps) const {
  if (sets_.empty()) return find_plain(text, steps);
  if (!masks_.empty()) return find_sets(text, steps);
  for (size_t at = 0; at + sets_.size() <= text.size(); ++at) {
    steps += sets_.size();
    if (are_in_sets(text.substr(at, sets_.size()))) return at;
  }
  return std::string_view::npos;
}

size_t GlobSegment::find_plain(std::string_view text, uint64_t& steps) const {
  if (units_.empty()) return 0;
  const size_t cost = 1 + units_.size() / 64;
  for (size_t at = 0; at + units_.size() <= text.size(); ++at) {
    const void* const first = std::memchr(text.data() + at, units_[0], text.size() - units_.size() + 1 - at);
    if (first == nullptr) break;
    at = static_cast<size_t>(static_cast<const char*>(first) - text.data());
    steps += cost;
    if (std::memcmp(first, units_.data(), units_.size()) == 0) return at;
  }
  ++steps;
  return std::string_view::npos;
}

// Shift-And (Baeza-Yates and Gonnet, "A new approach to text searching", 1992): bit i of the state says that
// the last i + 1 bytes match the first i + 1 units.
size_t GlobSegment::find_sets(std::string_view text, uint64_t& steps) const {
  const size_t words = masks_.size() / 256;
  const size_t last = sets_.size() - 1;
  std::array<uint64_t, Glob::kPatternBytesMax / 64> state{};
  for (size_t at = 0; at < text.size(); ++at) {
    const uint64_t* const mask = masks_.data() + static_cast<uint8_t>(text[at]) * words;
    uint64_t carry = 1;
    for (size_t w = 0; w < words; ++w) {
      const uint64_t shifted = state[w] << 1 | carry;
      carry = state[w] >> 63;
      state[w] = shifted & mask[w];
    }
    steps += words;
    if ((state[last / 64] >> (last % 64) & 1) != 0) return at - last;
  }
  return std::string_view::npos;
}

GlobAlternative::GlobAlternative(std::string_view pattern) {
  std::vector<std::string> segments(1);
  for (size_t p = 0; p < pattern.size();) {
    const size_t end = pattern[p] == '[' ? set_end(pattern, p) : p + 1;
    if (pattern[p] == '*') {
      segments.emplace_back();
    } else {
      segments.back().append(pattern.substr(p, end - p));
    }
    p = end;
  }
  has_star_ = segments.size() > 1;
  head_ = GlobSegment(std::move(segments.front()));
  if (has_star_) tail_ = GlobSegment(std::move(segments.back()));
  size_min_ = head_.size() + tail_.size();
  for (size_t i = 1; i + 1 < segments.size(); ++i) {
    if (segments[i].empty()) continue;  // adjacent stars count as one
    size_min_ += middle_.emplace_back(std::move(segments[i])).size();
  }
}

// The head and the tail have fixed positions. For each segment between them the first match is best, because
// it leaves the most text for the rest; so no backtracking is needed.
bool GlobAlternative::matches(std::string_view name, uint64_t& steps) const {
  ++steps;
  if (name.size() < size_min_) return false;
  steps += (head_.size() + tail_.size()) / 64;
  if (!has_star_) return head_.matches(name);
  if (!head_.matches(name.substr(0, head_.size()))) return false;
  name.remove_prefix(head_.size());
  if (!tail_.matches(name.substr(name.size() - tail_.size()))) return false;
  name.remove_suffix(tail_.size());
  for (const GlobSegment& segment : middle_) {
    const size_t at = segment.find(name, steps);
    if (at == std::string_view::npos) return false;
    name.remove_prefix(at + segment.size());
  }
  return true;
}

std::vector<const GlobSegment*> GlobAlternative::segments() const {
  std::vector<const GlobSegment*> out{&head_};
  for (const GlobSegment& segment : middle_) out.push_back(&segment);
  if (has_star_) out.push_back(&tail_);
  return out;
}

GlobLiteral GlobAlternative::literal() const {
  GlobLiteral best;
  size_t best_size = 0;
  const auto consider = [&](const GlobSegment& segment, bool is_first, bool is_last) {
    const std::string& units = segment.units();
    for_each_plain_run(units, [&](size_t begin, size_t end) {
      const bool at_start = is_first && begin == 0;
      const bool at_end = is_last && end == units.size();
      const size_t size = end - begin + (at_start ? 1 : 0) + (at_end ? 1 : 0);
      if (size <= best_size) return;
      best = {units.substr(begin, end - begin), at_start, at_end};
      best_size = size;
    });
  };
  consider(head_, true, !has_star_);
  for (const GlobSegment& segment : middle_) consider(segment, false, false);
  consider(tail_, false, true);
  return best;
}

bool Glob::is_pattern(std::string_view text) { return text.find_first_of("*?[{") != std::string_view::npos; }

Result<Glob> Glob::parse(std::string_view pattern) {
  if (pattern.empty()) return Error{ErrorCode::kInvalid, "glob: empty pattern"};
  if (pattern.size() > kPatternBytesMax) return Error{ErrorCode::kLimit, "glob: longer than 1024 bytes"};
  const Result<std::vector<std::string>> alternatives = expand_braces(pattern);
  if (!alternatives) return alternatives.error();
  Glob glob;
  glob.text_ = pattern;
  size_t bytes = 0;
  for (const std::string& alternative : *alternatives) bytes += alternative.size();
  if (bytes > kExpandedBytesMax)
    return Error{ErrorCode::kLimit, "glob: its alternatives have more than 8192 bytes"};
  for (const std::string& alternative : *alternatives) {
    if (!are_sets_closed(alternative)) return Error{ErrorCode::kInvalid, "glob: [ without ]"};
    glob.alternatives_.emplace_back(alternative);
  }
  return glob;
}

bool Glob::matches(std::string_view name, uint64_t& steps) const {
  return std::any_of(alternatives_.begin(), alternatives_.end(),
                     [&](const GlobAlternative& a) { return a.matches(name, steps); });
}

}  // namespace statmill
