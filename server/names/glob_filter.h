// GlobFilter: finds the rows whose whole names match a glob, without putting the names together.
//
// A row's name is read token by token by an automaton of the glob. What a token does in a state is computed
// once for the dictionary; where nearly all tokens of a column do the same, the column is not even read. If a
// text must be in one of the tokens, the rows without such a token are left out before.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "base/glob_automaton.h"
#include "server/names/name_block.h"
#include "server/names/token_set.h"

namespace statmill {

// One search of one thread uses it. Requires: a pin of the tables' RetiredMemory is held, and the rows of all
// blocks were published before the first call.
class GlobFilter {
 public:
  // `glob` must outlive it.
  explicit GlobFilter(const Glob& glob);

  // Clears the bits of rows whose names do not match; with `keeps_others`, of those that do.
  void keep(const NameBlock& block, RowBits& bits, bool keeps_others = false);

 private:
  using State = GlobAutomaton::State;
  struct TokenStates {
    std::vector<State> next;        // of each token
    std::vector<uint8_t> is_other;  // of each token: whether its state is not `usual`
    State usual = 0;                // the state of most tokens
    bool is_uniform = false;        // all tokens have the usual one
  };
  struct Row {
    uint32_t row;  // of the block
    State state;
  };

  // Returns nullptr if reading the texts of the rows is cheaper, or too much memory is in use.
  const TokenStates* states_of(const TokenDictionary& dictionary, State state, uint32_t rows);
  const TokenSet& tokens_with_piece(const TokenDictionary& dictionary);
  void keep_candidates(const NameBlock& block, RowBits& bits);
  void keep_matches(const NameBlock& block, RowBits& bits);
  State step_row(const NameBlock& block, size_t column, State before, uint32_t row);
  State step_usual(const NameBlock& block, size_t column, State before, const RowBits& bits);
  void split(const NameBlock& block, size_t column, const TokenStates& states, const RowBits& bits);
  bool matches(const NameBlock& block, uint32_t row, State state);

  const Glob& glob_;
  GlobAutomaton automaton_;
  std::map<std::pair<const TokenDictionary*, State>, TokenStates> states_;
  size_t bytes_ = 0;  // of states_
  // Each name that matches has one of these texts in a token or in a key. Empty: nothing is known.
  std::vector<std::string> pieces_;
  bool are_pieces_enough_ = false;                         // each name that has one matches
  std::map<const TokenDictionary*, TokenSet> with_piece_;  // the tokens that have one
  // Of the block in work: the rows that do not have the usual state.
  std::vector<Row> others_;
  RowBits is_other_{};
  std::string name_;
};

}  // namespace statmill
