// The search of NameIndex for words. Words are tried on the texts of dictionaries, whose results rows then
// add up; the texts of rows are put together only for names that may be among the best.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "server/names/dictionary_facts.h"
#include "server/names/name_ranking.h"
#include "server/names/name_scan.h"

namespace statmill {
namespace {

using Places = std::array<uint8_t, NameBlock::kRowsMax>;

}  // namespace

// One search for words. The tables and dictionaries are pinned by the scan.
class NameIndex::WordSearch {
 public:
  WordSearch(const NameQuery& query, Scan& scan) : query_(query), scan_(scan), ranking_(query.limit) {
    for (const std::string& word : query.words.words()) {
      bool is_cut = false;
      size_t begin = 0;
      for (size_t i = 0; i <= word.size(); ++i) {
        if (i < word.size() && !is_name_separator(word[i])) continue;
        is_cut |= i < word.size();
        if (i > begin) pieces_.push_back(word.substr(begin, i - begin));
        begin = i + 1;
      }
      has_cut_words_ |= is_cut;
    }
  }

  // Finds the names with all words.
  void find_words(RowFilter& under) {
    const auto take_text = [&](std::string_view name) {
      if (const auto score = query_.words.score(name)) take(*score, name);
      return true;
    };
    if (!scan_.for_each_flat(under, take_text) || !scan_.for_each_other(under, take_text)) return;
    for (const TableRows& table : scan_.tables()) {
      if (!begin_table(*table.table)) continue;
      const bool goes_on =
          scan_.for_each_match(table, under, [&](const NameBlock& block, const RowBits& bits) {
            find_in_block(block, bits);
            return true;
          });
      if (!goes_on && scan_.is_cancelled()) return;
    }
  }

  // Adds the names that have the letters of the only word in order. Requires: find_words() has found fewer
  // than the limit.
  void find_letters(RowFilter& under) {
    const std::string_view letters = query_.words.letters();
    const std::set<std::string, std::less<>> known = known_names();
    const auto take_text = [&](std::string_view name) {
      if (statmill::has_letters(name, letters) && !known.contains(name)) take(0, name);
      return true;
    };
    if (!scan_.for_each_flat(under, take_text) || !scan_.for_each_other(under, take_text)) return;
    for (const TableRows& table : scan_.tables()) {
      begin_letters(*table.table);
      const bool goes_on =
          scan_.for_each_match(table, under, [&](const NameBlock& block, const RowBits& bits) {
            find_letters_in_block(block, bits, known);
            return true;
          });
      if (!goes_on && scan_.is_cancelled()) return;
    }
  }

  uint64_t total() const { return total_; }
  std::vector<RankedName> best() && { return std::move(ranking_).sorted(); }

 private:
  // Rows that were published have tokens below the count that the facts begin with.
  DictionaryFacts& facts_of(const TokenDictionary& dictionary) {
    return facts_.try_emplace(&dictionary, dictionary, pieces_).first->second;
  }

  // Returns false if no row of the table can have all pieces.
  bool begin_table(const NameTable& table) {
    columns_.clear();
    constant_size_ = 0;
    of_keys_.assign(pieces_.size(), 0);
    for (size_t c = 0; c < table.column_count(); ++c) {
      columns_.push_back(&facts_of(table.dictionary(c)));
      constant_size_ += table.separator(c).size();
    }
    for (size_t p = 0; p < pieces_.size(); ++p) {
      for (const std::string& key : table.keys())
        of_keys_[p] = std::max(of_keys_[p], static_cast<uint8_t>(place_word(key, pieces_[p]).place));
      const auto has = [p](const DictionaryFacts* facts) { return facts->may_have(p); };
      if (of_keys_[p] == 0 && std::ranges::none_of(columns_, has)) return false;
    }
    return true;
  }

  // Adds up the best place of each piece in each row, and clears the bits of rows that lack one.
  void add_places(const NameBlock& block, RowBits& bits) {
    scores_.fill(0);
    for (size_t p = 0; p < pieces_.size() && has_rows(bits); ++p) {
      best_.fill(of_keys_[p]);
      for (size_t c = 0; c < columns_.size(); ++c) {
        DictionaryFacts& facts = *columns_[c];
        if (!facts.may_have(p)) continue;
        block.segment.with_column(c, [&](const auto* tokens) {
          tokens += block.begin;
          if (const uint8_t* const of = facts.places(p)) {
            for (uint32_t i = 0; i < block.count; ++i) best_[i] = std::max(best_[i], of[tokens[i]]);
            return;
          }
          for_each_row(bits, [&](uint32_t i) {
            best_[i] = std::max(best_[i], facts.place(p, tokens[i]));
            return true;
          });
        });
      }
      for (uint32_t w = 0; w < block.words(); ++w) {
        uint64_t has = 0;
        for (uint32_t i = 0; i < 64; ++i) {
          has |= uint64_t{best_[64 * w + i] != 0} << i;
          scores_[64 * w + i] = static_cast<uint8_t>(scores_[64 * w + i] + best_[64 * w + i]);
        }
        bits[w] &= has;
      }
    }
  }

  size_t size_of(const NameBlock& block, uint32_t row) const {
    size_t size = constant_size_;
    for (size_t c = 0; c < columns_.size(); ++c)
      size += columns_[c]->size(block.segment.token(c, block.begin + row));
    return size;
  }

  void find_in_block(const NameBlock& block, RowBits bits) {
    add_places(block, bits);
    for_each_row(bits, [&](uint32_t row) {
      if (has_cut_words_ || query_.accepts) {
        put_name(block, row);
        if (const auto score = query_.words.score(name_)) take(*score, name_);
        return true;
      }
      ++total_;
      if (!ranking_.may_have(scores_[row]) || !ranking_.has_room(scores_[row], size_of(block, row)))
        return true;
      put_name(block, row);
      ranking_.add(scores_[row], name_);
      return true;
    });
  }

  void begin_letters(const NameTable& table) {
    const std::string_view letters = query_.words.letters();
    columns_.clear();
    separators_.clear();
    constant_size_ = 0;
    first_tag_ = 0;
    for (size_t c = 0; c < table.column_count(); ++c) {
      if (first_tag_ == 0 && table.separator(c).starts_with(';')) first_tag_ = c;
      columns_.push_back(&facts_of(table.dictionary(c)));
      constant_size_ += table.separator(c).size();
      std::vector<uint8_t>& after = separators_.emplace_back();
      for (size_t state = 0; state < letters.size(); ++state)
        after.push_back(static_cast<uint8_t>(letters_in(table.separator(c), letters, state)));
    }
  }

  bool has_letters(const NameBlock& block, uint32_t row) const {
    return has_letters_from(0, block, row) || (first_tag_ > 0 && has_letters_from(first_tag_, block, row));
  }
  // Looks at the columns from `first` on, and then at those before it.
  bool has_letters_from(size_t first, const NameBlock& block, uint32_t row) const {
    const std::string_view letters = query_.words.letters();
    size_t state = 0;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const size_t c = (first + i) % columns_.size();
      state = separators_[c][state];
      if (state == letters.size()) return true;
      const Token token = block.segment.token(c, block.begin + row);
      state = columns_[c]->letters_after(letters, state, token);
      if (state == letters.size()) return true;
    }
    return false;
  }

  void find_letters_in_block(const NameBlock& block, const RowBits& bits,
                             const std::set<std::string, std::less<>>& known) {
    for_each_row(bits, [&](uint32_t row) {
      if (!has_letters(block, row)) return true;
      if (!query_.accepts && known.empty() && !ranking_.has_room(0, size_of(block, row))) {
        ++total_;
        return true;
      }
      put_name(block, row);
      if (!known.contains(name_)) take(0, name_);
      return true;
    });
  }

  void put_name(const NameBlock& block, uint32_t row) {
    name_.clear();
    block.table.append_name(block.first_row + row, name_);
  }
  void take(unsigned score, std::string_view name) {
    if (query_.accepts && !query_.accepts(name)) return;
    ++total_;
    ranking_.add(score, name);
  }
  std::set<std::string, std::less<>> known_names() const {
    std::set<std::string, std::less<>> names;
    NameRanking copy = ranking_;
    for (RankedName& ranked : std::move(copy).sorted()) names.insert(std::move(ranked.name));
    return names;
  }

  const NameQuery& query_;
  Scan& scan_;
  std::vector<std::string> pieces_;  // of words, between separators
  bool has_cut_words_ = false;       // a word has a separator, so its pieces must be neighbors
  NameRanking ranking_;
  uint64_t total_ = 0;
  std::map<const TokenDictionary*, DictionaryFacts> facts_;
  // These belong to the table in work:
  std::vector<DictionaryFacts*> columns_;
  std::vector<std::vector<uint8_t>> separators_;  // of each column and state: the state after it
  std::vector<uint8_t> of_keys_;                  // the best place of each piece in the keys
  size_t constant_size_ = 0;                      // bytes of the separators
  size_t first_tag_ = 0;                          // its column; 0: there are no tags
  // These belong to the block in work:
  Places scores_{};
  Places best_{};
  std::string name_;
};

std::string glob_of_prefix(std::string_view prefix) {
  std::string out;
  for (const char c : prefix) {
    if (std::string_view("*?[{").find(c) == std::string_view::npos) {
      out += c;
    } else {
      out.append("[").append(1, c).append("]");
    }
  }
  return out + "*";
}

FoundNames NameIndex::find(const NameQuery& query, const IsCancelled& is_cancelled) const {
  FoundNames out;
  if (query.words.is_empty()) return out;
  const auto under = Glob::parse(glob_of_prefix(query.under));
  if (!under) return out;
  Scan scan(*this, is_cancelled);
  WordSearch search(query, scan);
  RowFilter filter = RowFilter::of(*under);
  search.find_words(filter);
  const size_t whole = search.total();
  const bool takes_letters = whole < std::min(FoundNames::kFew, query.limit) &&
                             !query.words.letters().empty() && !scan.is_cancelled();
  if (takes_letters) {
    RowFilter again = RowFilter::of(*under);
    search.find_letters(again);
  }
  out.total = search.total();
  out.is_complete = !scan.is_cancelled();
  for (RankedName& ranked : std::move(search).best()) {
    NameHits hits = ranked.score > 0 ? query.words.hits(ranked.name)
                                     : hits_of_letters(ranked.name, query.words.letters());
    out.names.push_back({std::move(ranked.name), std::move(hits)});
  }
  return out;
}

}  // namespace statmill
