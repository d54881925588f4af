#include "base/glob_automaton.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <string>

namespace statmill {
namespace {

constexpr GlobAutomaton::State kUnknown = 0xffffffff;

void set_bit(std::vector<uint64_t>& bits, size_t i) { bits[i / 64] |= uint64_t{1} << (i % 64); }
bool has_bit(const std::vector<uint64_t>& bits, size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }
bool have_common(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  for (size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & b[w]) != 0) return true;
  }
  return false;
}

size_t units_of(const GlobAlternative& alternative) {
  size_t units = 0;
  for (const GlobSegment* const segment : alternative.segments()) units += segment->size();
  return units;
}

}  // namespace

GlobAutomaton::GlobAutomaton(const Glob& glob) {
  size_t bits = 0;
  for (const GlobAlternative& a : glob.alternatives()) bits += units_of(a) + 1;
  words_ = (bits + 63) / 64;
  stars_.resize(words_);
  ends_.resize(words_);
  begins_.resize(words_);
  masks_.assign(256, Bits(words_));
  size_t at = 0;
  for (const GlobAlternative& a : glob.alternatives()) {
    add_alternative(a, at);
    at += units_of(a) + 1;
  }
  // Bytes that match the same units are one class.
  std::map<Bits, uint8_t> classes;
  std::vector<Bits> distinct;
  for (size_t byte = 0; byte < 256; ++byte) {
    const auto [found, is_new] = classes.try_emplace(masks_[byte], static_cast<uint8_t>(distinct.size()));
    if (is_new) distinct.push_back(masks_[byte]);
    class_of_[byte] = found->second;
  }
  masks_ = std::move(distinct);
  classes_ = masks_.size();
  bits_.assign(kStart, Bits());
  accepts_ = {false, true, false};
  for (State state = 0; state < kStart; ++state) next_.insert(next_.end(), classes_, state);
  // The start has a number of its own even if it equals kAll, so that it is kStart.
  bits_.push_back(begins_);
  accepts_.push_back(have_common(begins_, ends_));
  next_.insert(next_.end(), classes_, kUnknown);
}

// Sets the masks of the alternative's units, whose first bit is `at`.
void GlobAutomaton::add_alternative(const GlobAlternative& alternative, size_t at) {
  set_bit(begins_, at);
  bool is_first = true;
  for (const GlobSegment* const segment : alternative.segments()) {
    if (!is_first) set_bit(stars_, at);
    is_first = false;
    for (size_t i = 0; i < segment->size(); ++i, ++at) {
      for (size_t byte = 0; byte < 256; ++byte) {
        const bool matches = segment->sets().empty() ? static_cast<uint8_t>(segment->units()[i]) == byte
                                                     : segment->sets()[i][byte];
        if (matches) set_bit(masks_[byte], at);
      }
    }
  }
  set_bit(ends_, at);
}

GlobAutomaton::State GlobAutomaton::step(State state, std::string_view text) {
  for (const char c : text) {
    if (state <= kTooMany) return state;
    const uint8_t byte_class = class_of_[static_cast<uint8_t>(c)];
    State to = next_[state * classes_ + byte_class];
    if (to == kUnknown) {
      to = next(state, byte_class);
      next_[state * classes_ + byte_class] = to;
    }
    state = to;
  }
  return state;
}

GlobAutomaton::State GlobAutomaton::next(State state, uint8_t byte_class) {
  const Bits& from = bits_[state];
  const Bits& mask = masks_[byte_class];
  Bits to(words_);
  uint64_t carry = 0;
  for (size_t w = 0; w < words_; ++w) {
    const uint64_t matched = from[w] & mask[w];
    to[w] = matched << 1 | carry | (from[w] & stars_[w]);
    carry = matched >> 63;
  }
  return state_of(std::move(to));
}

GlobAutomaton::State GlobAutomaton::state_of(Bits bits) {
  // Once an alternative has reached a star, its earlier states are dropped: a text that still matches from
  // one of them also matches from the star.
  bool is_after_star = false;
  for (size_t i = words_ * 64; i-- > 0;) {
    if (has_bit(ends_, i)) is_after_star = false;
    if (!has_bit(bits, i)) continue;
    if (is_after_star) bits[i / 64] &= ~(uint64_t{1} << (i % 64));
    if (!is_after_star && has_bit(stars_, i)) {
      if (has_bit(ends_, i)) return kAll;
      is_after_star = true;
    }
  }
  if (std::all_of(bits.begin(), bits.end(), [](uint64_t word) { return word == 0; })) return kDead;
  std::string key(reinterpret_cast<const char*>(bits.data()), bits.size() * sizeof(uint64_t));
  const auto known = states_.find(key);
  if (known != states_.end()) return known->second;
  if (bits_.size() == kStatesMax) return kTooMany;
  const auto state = static_cast<State>(bits_.size());
  accepts_.push_back(have_common(bits, ends_));
  bits_.push_back(std::move(bits));
  next_.insert(next_.end(), classes_, kUnknown);
  states_.emplace(std::move(key), state);
  return state;
}

}  // namespace statmill
