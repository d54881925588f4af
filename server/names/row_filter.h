// RowFilter: finds the rows that satisfy all of some matchers (server/names/label_matcher.h).
//
// A matcher is tried on the texts of a dictionary; then columns are compared with the tokens that satisfy it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/glob.h"
#include "base/result.h"
#include "server/names/glob_filter.h"
#include "server/names/label_matcher.h"
#include "server/names/name_block.h"
#include "server/names/token_set.h"
#include "server/names/value_test.h"

namespace statmill {

// Returns the column with the values of the label, if the table has one: `__n000__` is the first part of the
// path, `__name__` of a path with one part the only one.
std::optional<size_t> column_of(const NameTable& table, std::string_view label);

// One search of one thread uses it. Requires: as GlobFilter.
class RowFilter {
 public:
  // Errors: kInvalid and kLimit, of a regular expression or a glob.
  static Result<RowFilter> parse(std::span<const LabelMatcher> matchers);

  // Prepares for the blocks of a table. Returns false if no row can satisfy the matchers.
  bool begin_table(const NameTable& table);
  // Clears the bits of rows that do not satisfy the matchers.
  void keep(const NameBlock& block, RowBits& bits);

 private:
  struct Matcher {
    std::string label;
    std::optional<ValueTest> test;  // or a glob:
    std::unique_ptr<const Glob> glob;
    std::unique_ptr<GlobFilter> filter;
    bool is_negated = false;                          // of the glob
    std::map<const TokenDictionary*, TokenSet> sets;  // the tokens that satisfy it
  };
  struct ColumnStep {
    size_t column;
    const TokenSet* set;
  };

  RowFilter() = default;
  static TokenSet find_tokens(const TokenDictionary& dictionary, const ValueTest& test);
  const TokenSet& tokens_of(Matcher& matcher, const TokenDictionary& dictionary);
  bool add_step(size_t column, const TokenSet& set);
  bool add_matcher(const NameTable& table, Matcher& matcher);
  bool add_path_matcher(const NameTable& table, Matcher& matcher);
  bool accepts_whole_name(const NameBlock& block, uint32_t row);

  std::vector<Matcher> matchers_;
  // These belong to the table in work.
  std::vector<ColumnStep> columns_;
  std::vector<Matcher*> paths_;  // to be tried on whole paths
  std::vector<Matcher*> globs_;
  std::vector<std::unique_ptr<TokenSet>> parts_;  // of the parts of a path that is wanted
  std::string text_;
};

}  // namespace statmill
