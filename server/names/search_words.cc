#include "server/names/search_words.h"

#include <algorithm>
#include <bit>

#include "base/bytes16.h"

namespace statmill {
namespace {

bool are_equal(const char* text, std::string_view word) {
  for (size_t i = 0; i < word.size(); ++i) {
    if (lower_case(text[i]) != word[i]) return false;
  }
  return true;
}

}  // namespace

SearchWords::SearchWords(std::string_view text) {
  std::string word;
  const auto finish = [&] {
    if (!word.empty() && words_.size() < kWordsMax && std::ranges::find(words_, word) == words_.end())
      words_.push_back(word);
    word.clear();
  };
  for (const char c : text) {
    if (c == ' ' || c == '\t') {
      finish();
    } else {
      word += lower_case(c);
    }
  }
  finish();
}

std::string_view SearchWords::letters() const {
  const bool is_one = words_.size() == 1 && words_[0].size() >= 2 && words_[0].size() <= kLettersMax;
  return is_one ? std::string_view(words_[0]) : std::string_view();
}

std::optional<unsigned> SearchWords::score(std::string_view name) const {
  unsigned sum = 0;
  for (const std::string& word : words_) {
    const WordPlace place = place_word(name, word).place;
    if (place == WordPlace::kNone) return std::nullopt;
    sum += static_cast<unsigned>(place);
  }
  return sum;
}

NameHits SearchWords::hits(std::string_view name) const {
  NameHits out;
  for (const std::string& word : words_) {
    const auto [place, begin] = place_word(name, word);
    if (place != WordPlace::kNone) out.emplace_back(begin, begin + word.size());
  }
  std::ranges::sort(out);
  return out;
}

PlacedWord place_word(std::string_view text, std::string_view word) {
  PlacedWord best;
  if (word.size() > text.size()) return best;
  const char first = word[0];
  const bool is_letter = first >= 'a' && first <= 'z';
  const char other = is_letter ? static_cast<char>(first - 'a' + 'A') : first;
  const Bytes16 firsts = sixteen(first);
  const Bytes16 others = sixteen(other);
  const char* const end_of_text = text.data() + text.size();
  const size_t places = text.size() - word.size() + 1;
  for (size_t at16 = 0; at16 < places; at16 += 16) {
    const Lane16 lane = lane16_at(text.data(), text.data() + at16, end_of_text);
    uint64_t found = lane.bits((lane.bytes == firsts) | (lane.bytes == others));
    if (places - at16 < 16) found &= (uint64_t{1} << (places - at16)) - 1;
    for (; found != 0; found &= found - 1) {
      const size_t at = at16 + static_cast<size_t>(std::countr_zero(found));
      if (!are_equal(text.data() + at, word)) continue;
      const bool begins = at == 0 || is_name_separator(text[at - 1]);
      const size_t end = at + word.size();
      const bool ends = end == text.size() || is_name_separator(text[end]);
      const WordPlace place = begins && ends ? WordPlace::kWhole
                              : begins       ? WordPlace::kBeginning
                                             : WordPlace::kInside;
      if (place > best.place) best = {place, at};
      if (place == WordPlace::kWhole) return best;
    }
  }
  return best;
}

size_t letters_in(std::string_view text, std::string_view letters, size_t from) {
  for (size_t i = 0; i < text.size() && from < letters.size(); ++i) {
    if (lower_case(text[i]) == letters[from]) ++from;
  }
  return from;
}

bool has_letters(std::string_view name, std::string_view letters) {
  if (letters_in(name, letters, 0) == letters.size()) return true;
  const size_t tags = std::min(name.find(';'), name.size());
  const size_t of_tags = letters_in(name.substr(tags), letters, 0);
  return letters_in(name.substr(0, tags), letters, of_tags) == letters.size();
}

NameHits hits_of_letters(std::string_view name, std::string_view letters) {
  const bool is_in_order = letters_in(name, letters, 0) == letters.size();
  const size_t first = is_in_order ? 0 : std::min(name.find(';'), name.size());
  NameHits out;
  size_t next = 0;
  const auto look = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end && next < letters.size(); ++i) {
      if (lower_case(name[i]) != letters[next]) continue;
      ++next;
      if (!out.empty() && out.back().second == i) {
        ++out.back().second;
      } else {
        out.emplace_back(i, i + 1);
      }
    }
  };
  look(first, name.size());
  look(0, first);
  std::ranges::sort(out);
  return out;
}

}  // namespace statmill
