// DictionaryFacts: what one search for words knows of the texts of a dictionary.
//
// The texts of a large dictionary are looked at when the search meets the first row that has them, so a
// search that is cancelled has found what the rows before have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/names/search_words.h"
#include "server/names/token_dictionary.h"

namespace statmill {

// Not thread-safe: one search has its own.
class DictionaryFacts {
 public:
  using Token = TokenDictionary::Token;
  static constexpr Token kSmall = 4096;  // texts; about 0.1 ms for each piece

  // Looks at tokens below the dictionary's present count. Both must outlive the facts.
  DictionaryFacts(const TokenDictionary& dictionary, std::span<const std::string> pieces)
      : dictionary_(dictionary), pieces_(pieces), count_(dictionary.count()), is_known_(count_ <= kSmall) {
    sizes_.resize(count_, kUnknownSize);
    places_.resize(pieces.size());
    for (size_t p = 0; p < pieces.size(); ++p) {
      places_[p].resize(count_, kUnknown);
      if (!is_known_) continue;
      bool has_any = false;
      for (Token token = 0; token < count_; ++token) has_any |= place(p, token) != 0;
      if (!has_any) places_[p].clear();
    }
  }

  // Returns false if no text has the piece.
  bool may_have(size_t p) const { return !places_[p].empty(); }
  // Returns the places of a piece in all texts, each a WordPlace, by token; nullptr: use place().
  const uint8_t* places(size_t p) const { return is_known_ ? places_[p].data() : nullptr; }
  // The same of one text. Requires: may_have(p).
  uint8_t place(size_t p, Token token) {
    uint8_t& place = places_[p][token];
    if (place == kUnknown) {
      const std::string_view text = dictionary_.text(token);
      sizes_[token] = static_cast<uint16_t>(text.size());
      place = static_cast<uint8_t>(place_word(text, pieces_[p]).place);
    }
    return place;
  }
  // Bytes of a text.
  size_t size(Token token) {
    uint16_t& size = sizes_[token];
    if (size == kUnknownSize) size = static_cast<uint16_t>(dictionary_.text(token).size());
    return size;
  }
  // The number of letters that were found in order when the first `state` were found before a text.
  size_t letters_after(std::string_view letters, size_t state, Token token) {
    if (letters_.empty()) letters_.resize(size_t{count_} * letters.size(), kUnknown);
    uint8_t& after = letters_[token * letters.size() + state];
    if (after == kUnknown) after = static_cast<uint8_t>(letters_in(dictionary_.text(token), letters, state));
    return after;
  }

 private:
  static constexpr uint8_t kUnknown = 0xff;
  static constexpr uint16_t kUnknownSize = 0xffff;

  const TokenDictionary& dictionary_;
  const std::span<const std::string> pieces_;
  const Token count_;
  const bool is_known_;
  std::vector<uint16_t> sizes_;
  std::vector<std::vector<uint8_t>> places_;  // by piece, then token; empty: no text has the piece
  std::vector<uint8_t> letters_;              // by token and state: the state after the text
};

}  // namespace statmill
