// NameIndex::first_names(): the first names in ascending order that match a glob.
//
// Putting together and comparing all names that match would take 20 ns or more for each. Instead, the rows
// of a table are counted by their tokens in the first column. The first texts that have enough rows together
// contain the answer, and only the rows with the last of them are looked at in the next column.
#include <algorithm>
#include <string>
#include <vector>

#include "server/names/name_scan.h"
#include "server/names/token_set.h"

namespace statmill {
namespace {

// The first names in ascending order of many that come in any order.
class FirstOf {
 public:
  explicit FirstOf(size_t limit) : limit_(limit) {}

  // If it is full, only names before this one are still of interest.
  const std::string* bound() const {
    return names_.size() < limit_ || names_.empty() ? nullptr : &names_.front();
  }
  void skip() { has_more_ = true; }
  void add(std::string_view name) {
    if (names_.size() < limit_) {
      names_.emplace_back(name);
    } else {
      has_more_ = true;
      if (names_.empty() || name >= names_.front()) return;
      std::pop_heap(names_.begin(), names_.end());
      names_.back() = name;
    }
    std::push_heap(names_.begin(), names_.end());
  }
  NameIndex::FirstNames sorted() && {
    std::sort_heap(names_.begin(), names_.end());
    return {std::move(names_), has_more_};
  }

 private:
  const size_t limit_;
  std::vector<std::string> names_;  // a heap: the last one is at the front
  bool has_more_ = false;
};

// Returns true if the name of the row is before `bound`. Reads no more columns than it needs.
bool is_before(const NameBlock& block, uint32_t row, std::string_view bound) {
  for (size_t c = 0; c < block.table.column_count(); ++c) {
    const Token token = block.segment.token(c, block.begin + row);
    for (const std::string_view text :
         {std::string_view(block.table.separator(c)), block.table.dictionary(c).text(token)}) {
      const int order = text.compare(0, text.size(), bound.substr(0, text.size()));
      if (order != 0) return order < 0;
      bound.remove_prefix(text.size());
    }
  }
  return !bound.empty();
}

// A token of a column, and how many rows have it.
struct TokenCount {
  std::string_view text;
  Token token;
  size_t rows;
};

// Orders tokens of a column as the names that have them: `a` is before `a-b` alone, but `a.` is after `a-b.`.
struct NameOrder {
  int next;  // the byte after the text, which no text of the column has; -1 at the end of a name

  bool operator()(const TokenCount& a, const TokenCount& b) const {
    const size_t size = std::min(a.text.size(), b.text.size());
    const int order = a.text.compare(0, size, b.text.substr(0, size));
    if (order != 0) return order < 0;
    const auto byte = [&](std::string_view text) {
      return size < text.size() ? static_cast<uint8_t>(text[size]) : next;
    };
    return byte(a.text) < byte(b.text);
  }
};

// The first tokens of a column, in the order of the names, that `limit` rows or more have together.
class FirstTokens {
 public:
  // Requires: `limit` > 0.
  FirstTokens(const NameTable& table, size_t column, size_t limit)
      : dictionary_(table.dictionary(column)),
        limit_(limit),
        order_{column + 1 < table.column_count() ? static_cast<uint8_t>(table.separator(column + 1)[0])
                                                 : -1} {}

  void add(Token token, size_t rows) {
    const TokenCount counted{dictionary_.text(token), token, rows};
    if (rows_ >= limit_ && !order_(counted, heap_.front())) return;
    heap_.push_back(counted);
    std::push_heap(heap_.begin(), heap_.end(), order_);
    rows_ += rows;
    while (rows_ - heap_.front().rows >= limit_) pop();
  }
  // Removes the last one. Requires: there is one.
  Token pop() {
    std::pop_heap(heap_.begin(), heap_.end(), order_);
    const TokenCount last = heap_.back();
    heap_.pop_back();
    rows_ -= last.rows;
    return last.token;
  }
  TokenSet tokens() const {
    TokenSet set;
    if (heap_.size() == 1) set = {.form = TokenSet::Form::kOne, .token = heap_[0].token, .is_in = {}};
    if (heap_.size() <= 1) return set;
    set.form = TokenSet::Form::kSome;
    set.is_in.resize(dictionary_.count());
    for (const TokenCount& counted : heap_) set.is_in[counted.token] = 1;
    return set;
  }
  // The number of rows that have tokens().
  size_t rows() const { return rows_; }

 private:
  const TokenDictionary& dictionary_;
  const size_t limit_;
  const NameOrder order_;
  size_t rows_ = 0;
  std::vector<TokenCount> heap_;  // the last one is at the front
};

// Some rows that match.
struct Rows {
  NameBlock block;
  RowBits bits;
};
// Rows of one table.
using MatchedRows = std::vector<Rows>;

size_t count_all(const MatchedRows& rows) {
  size_t count = 0;
  for (const Rows& some : rows) count += count_rows(some.bits);
  return count;
}

// Returns how many of the rows have each token in the column.
std::vector<uint32_t> count_tokens(const MatchedRows& rows, size_t column) {
  std::vector<uint32_t> counts(rows.front().block.table.dictionary(column).count());
  for (const auto& [block, bits] : rows) {
    block.segment.with_column(column, [&, &block = block, &bits = bits](const auto* tokens) {
      tokens += block.begin;
      for_each_row(bits, [&](uint32_t row) {
        ++counts[tokens[row]];
        return true;
      });
    });
  }
  return counts;
}

void add_rows(const Rows& rows, FirstOf& first) {
  std::string name;
  for_each_row(rows.bits, [&](uint32_t row) {
    const std::string* const bound = first.bound();
    if (bound != nullptr && !is_before(rows.block, row, *bound)) {
      first.skip();
      return true;
    }
    name.clear();
    rows.block.table.append_name(rows.block.first_row + row, name);
    first.add(name);
    return true;
  });
}

// Adds the first `limit` rows of a table, and perhaps others.
void add_first(MatchedRows rows, size_t limit, FirstOf& first) {
  const NameTable& table = rows.front().block.table;
  for (size_t c = 0; c < table.column_count(); ++c) {
    const size_t count = count_all(rows);
    const Token token_count = table.dictionary(c).count();
    if (count <= limit) break;
    first.skip();
    if (limit == 0) return;
    if (token_count == 1) continue;
    // Names of few rows are compared sooner than a large dictionary is read.
    if (count < token_count / 8) break;
    const std::vector<uint32_t> counts = count_tokens(rows, c);
    FirstTokens tokens(table, c, limit);
    for (Token token = 0; token < token_count; ++token) {
      if (counts[token] > 0) tokens.add(token, counts[token]);
    }
    const TokenSet last{.form = TokenSet::Form::kOne, .token = tokens.pop(), .is_in = {}};
    const TokenSet before = tokens.tokens();
    for (Rows& some : rows) {
      Rows whole = some;
      keep_tokens(some.block, c, before, whole.bits);
      add_rows(whole, first);
      keep_tokens(some.block, c, last, some.bits);
    }
    limit -= tokens.rows();
  }
  for (const Rows& some : rows) add_rows(some, first);
}

}  // namespace

NameIndex::FirstNames NameIndex::first_names(const Glob& glob, size_t limit,
                                             const IsCancelled& is_cancelled) const {
  FirstOf first(limit);
  RowFilter filter = RowFilter::of(glob);
  Scan scan(*this, is_cancelled);
  const auto add = [&first](std::string_view name) {
    first.add(name);
    return true;
  };
  scan.for_each_flat(filter, add);
  scan.for_each_other(filter, add);
  for (const auto& table : scan.tables()) {
    MatchedRows rows;
    scan.for_each_match(table, filter, [&](const NameBlock& block, const RowBits& bits) {
      rows.push_back({block, bits});
      return true;
    });
    if (scan.is_cancelled()) break;
    if (!rows.empty()) add_first(std::move(rows), limit, first);
  }
  return std::move(first).sorted();
}

}  // namespace statmill
