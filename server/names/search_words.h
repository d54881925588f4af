// SearchWords: what a person types to find names: words in any order, and letters in order.
//
// ASCII letters match in both cases. A word that is a whole part of a name, between `.`, `;`, `=` or its
// ends, is a better hit than the beginning of one, and this than a text inside of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace statmill {

enum class WordPlace : uint8_t { kNone = 0, kInside = 1, kBeginning = 2, kWhole = 3 };

// Bytes [first, second) of a name, ascending.
using NameHits = std::vector<std::pair<size_t, size_t>>;

// Immutable, so thread-safe.
class SearchWords {
 public:
  static constexpr size_t kWordsMax = 8;     // further ones are ignored
  static constexpr size_t kLettersMax = 32;  // a longer word is not tried as letters in order

  // Cuts the text at its blanks.
  explicit SearchWords(std::string_view text);

  const std::vector<std::string>& words() const { return words_; }  // in lower case
  bool is_empty() const { return words_.empty(); }
  // The only word, if it may be tried as letters in order; empty otherwise.
  std::string_view letters() const;
  // The best place that each word has in a name, added up; nullopt if a word is missing.
  std::optional<unsigned> score(std::string_view name) const;
  // The places of the words in a name that has all of them, one each.
  NameHits hits(std::string_view name) const;

 private:
  std::vector<std::string> words_;
};

// The best place of a word in a text. A text without separators is one part. Requires: `word` is in lower
// case and not empty.
struct PlacedWord {
  WordPlace place = WordPlace::kNone;
  size_t begin = 0;  // of the first such place
};
PlacedWord place_word(std::string_view text, std::string_view word);

// How many of `letters`, from number `from` on, are found in `text` one after another.
size_t letters_in(std::string_view text, std::string_view letters, size_t from);
// Returns whether a name has the letters in order, in the name as it is or with its tags before its path:
// people think of a host and what it has, and names begin with what it is.
bool has_letters(std::string_view name, std::string_view letters);
// The places of letters that a name has in such an order.
NameHits hits_of_letters(std::string_view name, std::string_view letters);

inline char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline bool is_name_separator(char c) { return c == '.' || c == ';' || c == '='; }

}  // namespace statmill
