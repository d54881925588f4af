// RowFilter: finds the names that satisfy all of some matchers (server/names/label_matcher.h).
//
// In tables, a matcher is tried on the texts of a dictionary; then columns are compared with the tokens that
// satisfy it. If other matchers leave few rows of a large dictionary, it is tried on their texts alone. Names
// that are kept as text are tried one by one, if a glob finds them.
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
#include "server/names/search_meter.h"
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
  // Finds the names that match a glob.
  static RowFilter of(const Glob& glob);

  // Asked every millisecond or two of work; true ends the call.
  using IsCancelled = SearchMeter::IsCancelled;
  // Prepares for the blocks of a table. Returns false if no row can satisfy the matchers, or it was
  // cancelled.
  bool begin_table(const NameTable& table, const IsCancelled& is_cancelled);
  // Clears the bits of rows that do not satisfy the matchers; any bits if it was cancelled.
  void keep(const NameBlock& block, RowBits& bits, const IsCancelled& is_cancelled);

  // Return a glob that all names match which satisfy the matchers: of one part without tags, or any. Tell
  // whether escaped_path() makes the path of each name of its label.
  const Glob& flat_prefilter(bool are_canonical) const;
  const Glob& prefilter(bool are_canonical) const;
  // Returns false if no name of one part without tags satisfies the matchers. Call it before accepts_flat().
  bool begin_flat();
  // Return true if a name of that kind, or any name, that matches the prefilter satisfies the matchers.
  bool accepts_flat(std::string_view name) const;
  bool accepts(std::string_view name) const;

 private:
  // The tokens of a dictionary that satisfy a matcher.
  struct Tokens {
    TokenSet set;  // if it is known
    bool is_known = false;
    bool has_literal = false;  // a search for a literal leaves few texts to try
    size_t texts_tried = 0;    // of single rows, while it was not known
  };
  struct Matcher {
    std::string label;
    std::optional<ValueTest> test;  // or a glob:
    std::unique_ptr<const Glob> glob;
    std::unique_ptr<GlobFilter> filter;
    bool is_negated = false;  // of the glob
    std::map<const TokenDictionary*, Tokens> tokens;
  };
  struct ColumnStep {
    size_t column;
    const TokenDictionary* dictionary;
    Tokens* tokens;
    const ValueTest* test;  // is not used if the tokens are known
  };

  RowFilter();
  void add_glob(Glob glob, bool is_negated);
  void choose_prefilters();
  std::optional<TokenSet> find_tokens(const TokenDictionary& dictionary, const ValueTest& test,
                                      const IsCancelled& is_cancelled);
  bool know_tokens(const ColumnStep& step, const IsCancelled& is_cancelled);
  bool add_column(const NameTable& table, size_t column, Matcher& matcher, const IsCancelled& is_cancelled);
  void keep_column(const NameBlock& block, const ColumnStep& step, RowBits& bits,
                   const IsCancelled& is_cancelled);
  bool add_matcher(const NameTable& table, Matcher& matcher, const IsCancelled& is_cancelled);
  bool add_path_matcher(const NameTable& table, Matcher& matcher);

  std::vector<Matcher> matchers_;
  size_t glob_tried_ = SIZE_MAX;  // index of the matcher whose glob is the prefilter
  Glob all_;
  // If a matcher wants one path, or a text in it: the names that may have it, without tags or any.
  std::unique_ptr<const Glob> flat_path_;
  std::unique_ptr<const Glob> path_;
  std::unique_ptr<GlobFilter> path_filter_;  // of a text, for tables
  std::vector<const Matcher*> flat_;         // to be tried on names of one part
  // These belong to the table in work.
  std::vector<ColumnStep> columns_;
  std::vector<const Matcher*> paths_;  // to be tried on whole paths
  bool uses_path_filter_ = false;      // before them
  std::vector<Matcher*> globs_;
  std::vector<std::unique_ptr<Tokens>> parts_;  // of the parts of a path that is wanted
  std::string text_;
  SearchMeter meter_;
};

}  // namespace statmill
