#include "server/names/glob_filter.h"

#include <algorithm>
#include <unordered_map>

namespace statmill {
namespace {

constexpr size_t kBytesMax = size_t{64} << 20;

// States that no further text changes.
bool is_decided(GlobAutomaton::State state) { return state <= GlobAutomaton::kTooMany; }

// Returns the longest part of a text that lies in one token or key wherever a name has it.
std::string_view longest_piece(std::string_view text) {
  std::string_view longest;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(".;="), text.size());
    if (end > longest.size()) longest = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

// Returns true if the alternative is `*text*`.
bool is_contained_text(const GlobAlternative& alternative, std::string_view text) {
  const std::vector<const GlobSegment*> segments = alternative.segments();
  return segments.size() == 3 && segments[0]->size() == 0 && segments[2]->size() == 0 &&
         segments[1]->sets().empty() && segments[1]->units() == text;
}

}  // namespace

GlobFilter::GlobFilter(const Glob& glob) : glob_(glob), automaton_(glob) {
  constexpr size_t kPieceMin = 3;  // nearly all rows have shorter ones
  are_pieces_enough_ = true;
  for (const GlobAlternative& alternative : glob.alternatives()) {
    const GlobLiteral literal = alternative.literal();
    const std::string_view piece = longest_piece(literal.text);
    are_pieces_enough_ = are_pieces_enough_ && !piece.empty() && is_contained_text(alternative, piece);
    // The automaton alone finds quickly what begins in a certain way.
    if (!are_pieces_enough_ && (literal.at_start || piece.size() < kPieceMin)) {
      pieces_.clear();
      return;
    }
    pieces_.emplace_back(piece);
  }
}

void GlobFilter::keep(const NameBlock& block, RowBits& bits, bool keeps_others) {
  constexpr size_t kFew = 64;  // rows whose names are put together sooner than the automaton reads the block
  RowBits kept = bits;
  keep_candidates(block, kept);
  if (are_pieces_enough_) {
    // The candidates are what matches.
  } else if (pieces_.empty() || count_rows(kept) > kFew) {
    keep_matches(block, kept);
  } else {
    keep_rows(kept, [&](uint32_t row) { return matches(block, row, GlobAutomaton::kTooMany); });
  }
  for (uint32_t w = 0; w < bits.size(); ++w) bits[w] = keeps_others ? bits[w] & ~kept[w] : kept[w];
}

const TokenSet& GlobFilter::tokens_with_piece(const TokenDictionary& dictionary) {
  const auto [found, is_new] = with_piece_.try_emplace(&dictionary);
  TokenSet& set = found->second;
  if (!is_new) return set;
  const Token count = dictionary.count();
  for (const std::string& piece : pieces_) {
    dictionary.for_each_with(piece, [&](Token token) {
      if (token >= count) return;
      if (set.is_in.empty()) set.is_in.resize(count);
      set.is_in[token] = 1;
    });
  }
  set.form = set.is_in.empty() ? TokenSet::Form::kNone : TokenSet::Form::kSome;
  return set;
}

void GlobFilter::keep_candidates(const NameBlock& block, RowBits& bits) {
  if (pieces_.empty()) return;
  for (const std::string& key : block.table.keys()) {
    const auto is_in = [&key](const std::string& piece) { return key.find(piece) != key.npos; };
    if (std::any_of(pieces_.begin(), pieces_.end(), is_in)) return;
  }
  RowBits found{};
  for (size_t c = 0; c < block.table.column_count(); ++c) {
    const TokenSet& set = tokens_with_piece(block.table.dictionary(c));
    if (set.form == TokenSet::Form::kNone) continue;
    RowBits some = bits;
    for (uint32_t w = 0; w < some.size(); ++w) some[w] &= ~found[w];
    keep_tokens(block, c, set, some);
    for (uint32_t w = 0; w < found.size(); ++w) found[w] |= some[w];
  }
  bits = found;
}

void GlobFilter::keep_matches(const NameBlock& block, RowBits& bits) {
  others_.clear();
  is_other_ = {};
  State usual = GlobAutomaton::kStart;
  for (size_t c = 0; c < block.table.column_count(); ++c) {
    if (is_decided(usual) && others_.empty()) break;
    for (Row& other : others_) {
      if (!is_decided(other.state)) other.state = step_row(block, c, other.state, other.row);
    }
    if (!is_decided(usual)) usual = step_usual(block, c, usual, bits);
  }
  for (uint32_t w = 0; w < bits.size(); ++w) bits[w] &= ~is_other_[w];
  if (usual == GlobAutomaton::kTooMany) {
    keep_rows(bits, [&](uint32_t row) { return matches(block, row, usual); });
  } else if (!automaton_.accepts(usual)) {
    bits = {};
  }
  for (const Row& other : others_) {
    if (matches(block, other.row, other.state)) bits[other.row / 64] |= uint64_t{1} << (other.row % 64);
  }
}

bool GlobFilter::matches(const NameBlock& block, uint32_t row, State state) {
  if (state != GlobAutomaton::kTooMany) return automaton_.accepts(state);
  name_.clear();
  block.table.append_name(block.first_row + row, name_);
  return glob_.matches(name_);
}

GlobFilter::State GlobFilter::step_row(const NameBlock& block, size_t column, State before, uint32_t row) {
  const State state = automaton_.step(before, block.table.separator(column));
  if (is_decided(state)) return state;
  const TokenDictionary& dictionary = block.table.dictionary(column);
  const Token token = block.segment.token(column, block.begin + row);
  if (const TokenStates* const states = states_of(dictionary, state, block.table.row_count()))
    return states->next[token];
  return automaton_.step(state, dictionary.text(token));
}

// Moves the rows with the usual state on by one column. Rows whose token is not usual become others.
GlobFilter::State GlobFilter::step_usual(const NameBlock& block, size_t column, State before,
                                         const RowBits& bits) {
  const State state = automaton_.step(before, block.table.separator(column));
  if (is_decided(state)) return state;
  const TokenDictionary& dictionary = block.table.dictionary(column);
  if (const TokenStates* const states = states_of(dictionary, state, block.table.row_count())) {
    if (!states->is_uniform) split(block, column, *states, bits);
    return states->usual;
  }
  for (uint32_t w = 0; w < bits.size(); ++w) {
    for (uint64_t left = bits[w] & ~is_other_[w]; left != 0; left &= left - 1) {
      const uint32_t row = 64 * w + static_cast<uint32_t>(std::countr_zero(left));
      const Token token = block.segment.token(column, block.begin + row);
      others_.push_back({row, automaton_.step(state, dictionary.text(token))});
    }
    is_other_[w] |= bits[w];
  }
  return GlobAutomaton::kDead;
}

void GlobFilter::split(const NameBlock& block, size_t column, const TokenStates& states,
                       const RowBits& bits) {
  const uint8_t* const is_other = states.is_other.data();
  block.segment.with_column(column, [&](const auto* tokens) {
    tokens += block.begin;
    for (uint32_t w = 0; w < block.words(); ++w) {
      const uint64_t wanted = bits[w] & ~is_other_[w];
      uint64_t found = 0;
      if (wanted == ~uint64_t{0}) {
        for (uint32_t i = 0; i < 64; ++i) found |= uint64_t{is_other[tokens[64 * w + i]]} << i;
      } else {
        for (uint64_t left = wanted; left != 0; left &= left - 1) {
          const auto i = static_cast<uint32_t>(std::countr_zero(left));
          found |= uint64_t{is_other[tokens[64 * w + i]]} << i;
        }
      }
      is_other_[w] |= found;
      for (; found != 0; found &= found - 1) {
        const uint32_t row = 64 * w + static_cast<uint32_t>(std::countr_zero(found));
        others_.push_back({row, states.next[tokens[row]]});
      }
    }
  });
}

const GlobFilter::TokenStates* GlobFilter::states_of(const TokenDictionary& dictionary, State state,
                                                     uint32_t rows) {
  const auto known = states_.find({&dictionary, state});
  if (known != states_.end()) return &known->second;
  const Token count = dictionary.count();
  const size_t bytes = count * (sizeof(State) + 1);
  if (count > 4 * uint64_t{rows} + 64 || bytes_ + bytes > kBytesMax) return nullptr;
  bytes_ += bytes;
  TokenStates& states = states_[{&dictionary, state}];
  states.next.reserve(count);
  std::unordered_map<State, uint32_t> counts;
  uint32_t most = 0;
  for (Token token = 0; token < count; ++token) {
    const State to = automaton_.step(state, dictionary.text(token));
    states.next.push_back(to);
    const uint32_t now = ++counts[to];
    if (now > most) {
      most = now;
      states.usual = to;
    }
  }
  states.is_uniform = counts.size() <= 1;
  for (const State to : states.next) states.is_other.push_back(to != states.usual ? 1 : 0);
  return &states;
}

}  // namespace statmill
