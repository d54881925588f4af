// NameIndex: the names of all series, as tables of tokens. It answers matchers, globs, the values and names
// of labels, and the tree of paths.
//
// A name is cut into the parts of its path and its tags. Names with the same number of parts and the same
// keys are rows of one NameTable; each distinct part or value is stored once, in a TokenDictionary per
// position or key. A matcher is tried on the dictionary; then columns of small numbers are compared: about
// 0.1 to 0.8 ms per matcher and million names. Names of one part without tags share nothing, so they are text
// in a NameArena, which takes less memory for them.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/glob.h"
#include "base/hash.h"
#include "base/result.h"
#include "base/text_map.h"
#include "proto/prometheus/labels_name.h"
#include "server/names/label_matcher.h"
#include "server/names/name_arena.h"
#include "server/names/name_row.h"
#include "server/names/name_table.h"
#include "server/names/retired_memory.h"
#include "server/names/search_words.h"
#include "server/names/token_dictionary.h"
#include "server/names/tree_node.h"

namespace statmill {

struct NameBlock;
class RowFilter;

// Returns the text of a glob that exactly the names match which begin with a text.
std::string glob_of_prefix(std::string_view prefix);

// What NameIndex::find() looks for.
struct NameQuery {
  SearchWords words;
  std::string under = {};  // only names that begin with it
  size_t limit = 0;        // of the best names
  // Names for which it returns false do not count. Empty: all count. It costs the text of each match.
  std::function<bool(std::string_view name)> accepts = {};
};

struct FoundNames {
  // If fewer names have the words, those that have the letters of the only word in order are found, too.
  static constexpr size_t kFew = 20;

  struct One {
    std::string name;
    NameHits hits;
  };
  std::vector<One> names;   // the best first: by the places of the words, then the shorter ones, then by name
  uint64_t total = 0;       // names that match
  bool is_complete = true;  // false: the search was cancelled, and there may be more
};

// add() and remove() need the caller's lock: one writer at a time. Any number of threads may use the other
// functions at the same time, without a lock. Names that are added or removed meanwhile may be seen or not.
class NameIndex {
 public:
  static constexpr uint32_t kPartsMax = 32;   // a name with more is kept as text
  static constexpr size_t kTablesMax = 4096;  // so are names of further shapes and of further keys
  static constexpr size_t kKeysMax = 4096;

  // Looked at before each block of 4096 rows and of 32 KiB of text; true ends the call with kBusy,
  // "cancelled".
  using IsCancelled = NameArena::IsCancelled;

  NameIndex();
  NameIndex(const NameIndex&) = delete;
  NameIndex& operator=(const NameIndex&) = delete;

  // Sets the hash of its tables, so that senders cannot choose texts that collide. Requires: no name was
  // added.
  void set_hash(const KeyedHash& hash) { hash_ = hash; }
  // Cost: 0.3 to 1 us. Requires: 1 to kNameBytesMax bytes.
  NameRow add(std::string_view name);
  // Hides a name from later searches. Returns false if it was removed before, or the row is of no index.
  bool remove(NameRow row);

  // The name of a row, removed or not. Requires, as does the next one: the row is of this index, and the
  // thread has it from the one that added the name. Cost: 0.1 us.
  std::string name(NameRow row) const;
  bool is_named(NameRow row, std::string_view name) const;

  // Goes through the names that are not removed, in the order of their rows; those that are added on the way
  // come, too.
  class Walk;

  // Calls `visit` with each name that satisfies all matchers, in no order, until it returns false. The text
  // is valid during the call. No matcher: all names. Errors: kInvalid, kLimit (of a regular expression or
  // glob), kBusy (cancelled).
  using Visit = NameArena::Visit;
  Status select(std::span<const LabelMatcher> matchers, const Visit& visit,
                const IsCancelled& is_cancelled = {}) const;
  // The same with each name that matches a glob. Errors: kBusy.
  Status search(const Glob& glob, const Visit& visit, const IsCancelled& is_cancelled = {}) const;

  struct FirstNames {
    std::vector<std::string> names;  // ascending
    bool has_more = false;
  };
  // Returns the first `limit` names that match, in the order of their bytes; any of them if it was cancelled.
  FirstNames first_names(const Glob& glob, size_t limit, const IsCancelled& is_cancelled = {}) const;

  // Returns the names that match best. If it is cancelled, they are the best of those looked at so far. No
  // words: none. Cost at 1 M names: 10 to 15 ns for each text of the dictionaries and word, 1 to 5 ns for
  // each name and word, 5 to 10 ns for each match.
  FoundNames find(const NameQuery& query, const IsCancelled& is_cancelled = {}) const;

  // The limits and the filter of a list of labels or values.
  struct ListOptions {
    size_t limit = SIZE_MAX;  // if there are more values, the list has any limit + 1 of them
    IsCancelled is_cancelled = {};
    // Series for which it returns false are left out. It is called only for series that would add to the
    // list, so a text that one series has costs no call for the others. Empty: all are listed.
    std::function<bool(std::string_view name)> is_listed = {};
  };
  // The names of all labels of the series that satisfy the matchers, ascending. Errors: as select().
  Result<std::vector<std::string>> label_names(std::span<const LabelMatcher> matchers,
                                               const ListOptions& options) const;
  // The values of one label of these series, ascending, without the empty one.
  Result<std::vector<std::string>> label_values(std::string_view label,
                                                std::span<const LabelMatcher> matchers,
                                                const ListOptions& options) const;
  // The number of values that each label has had in this index, except the path. Labels of names that are
  // kept as text are left out. Cost: one step per table and key.
  std::map<std::string, size_t> value_counts() const;
  // How many series have each value of a label, by value, without series that lack it. Errors: kBusy. Cost: 1
  // ns for each name with the label, 0.3 us for each value; of `__name__` 0.3 us for each name.
  Result<std::map<std::string, uint64_t>> series_by_value(std::string_view label,
                                                          const IsCancelled& is_cancelled = {}) const;
  // Gets the bytes that a search holds until it returns; an error ends it.
  using TakeMemory = std::function<Status(size_t bytes)>;
  // The nodes whose parts match the globs between the dots of the pattern, one each, ascending: "host.*" has
  // all nodes below `host`. Dots in braces do not cut. Errors: as select(), and those of `take_memory`.
  Result<std::vector<TreeNode>> children(std::string_view pattern, const IsCancelled& is_cancelled = {},
                                         const TakeMemory& take_memory = {}) const;

  // The nodes below a prefix, which is empty or ends with a dot, ascending. Errors: kInvalid (the prefix),
  // kBusy, those of `take_memory`. Cost: 1 to 2 ns for each name of as many parts, 0.3 us for each node.
  Result<std::vector<TreeNode>> children_of(std::string_view prefix, const IsCancelled& is_cancelled = {},
                                            const TakeMemory& take_memory = {}) const;

  size_t ram_bytes() const {
    return ram_bytes_.load(std::memory_order_relaxed) + flat_names_.ram_bytes() + other_names_.ram_bytes();
  }
  // Names that were removed; their rows and texts keep their memory as long as the index exists.
  size_t removed_count() const { return removed_.load(std::memory_order_relaxed); }

 private:
  // A table and its rows that a search looks at.
  struct TableRows {
    uint32_t number;
    const NameTable* table;
    uint32_t rows;
  };
  class Scan;
  class WordSearch;
  // The texts that a part of a path may have.
  struct PartPattern {
    std::string_view text;
    const Glob* glob;  // nullptr: the text itself
  };

  // The numbers of tables in a NameRow that say where a text is.
  static constexpr uint32_t kFlatNames = 0xffffffff;
  static constexpr uint32_t kOtherNames = 0xfffffffe;
  static bool is_text(NameRow row) { return row.table >= kOtherNames; }

  const NameArena& arena_of(NameRow row) const {
    return row.table == kFlatNames ? flat_names_ : other_names_;
  }
  std::vector<TableRows> tables() const;
  uint32_t table_for(const NameParts& parts, uint32_t path_parts);
  uint32_t add_table(uint32_t path_parts, std::vector<std::string> keys);
  NameRow add_text(uint32_t to, std::string_view name, std::string_view path);
  Status select(RowFilter& filter, const Visit& visit, const IsCancelled& is_cancelled) const;
  Result<std::vector<TreeNode>> children(std::span<const PartPattern> patterns,
                                         const IsCancelled& is_cancelled,
                                         const TakeMemory& take_memory) const;
  TokenDictionary* dictionary_of_key(const std::string& key);

  KeyedHash hash_;
  RetiredMemory retired_;
  std::vector<std::unique_ptr<TokenDictionary>> part_dictionaries_;  // by position
  NameArena flat_names_;                                             // of one part, without tags
  NameArena other_names_;                                            // that no table can have
  // Used by the writer only, as the next ones.
  TextMap<std::unique_ptr<TokenDictionary>> key_dictionaries_;
  TextMap<uint32_t> shapes_;  // to tables
  std::vector<std::unique_ptr<NameTable>> own_tables_;
  std::vector<Token> tokens_;
  std::string shape_;
  std::string last_shape_;  // consecutive names mostly have the same shape
  uint32_t last_table_ = 0;
  // True if escaped_path() makes the path of each name in the arenas from its label. Written before the
  // name that changes it.
  std::atomic<bool> are_canonical_{true};
  // Each is written once, before the count is released that includes it.
  std::array<const NameTable*, kTablesMax> tables_{};
  std::atomic<uint32_t> table_count_{0};  // released by the writer, acquired by readers
  std::atomic<size_t> ram_bytes_{0};      // for metrics, as the next one: relaxed
  std::atomic<size_t> removed_{0};
};

}  // namespace statmill
