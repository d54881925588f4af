// NameIndex: the names of all series, as tables of tokens. It answers matchers, globs, the values and names
// of labels, and the tree of paths.
//
// A name is cut into the parts of its path and its tags. Names with the same number of parts and the same
// keys are rows of one NameTable; each distinct part or value is stored once, in a TokenDictionary per
// position or key. A matcher is tried on the dictionary; then columns of small numbers are compared: about
// 0.1 to 0.8 ms per matcher and million names.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/glob.h"
#include "base/hash.h"
#include "base/result.h"
#include "proto/prometheus/labels_name.h"
#include "server/names/label_matcher.h"
#include "server/names/name_row.h"
#include "server/names/name_table.h"
#include "server/names/retired_memory.h"
#include "server/names/token_dictionary.h"
#include "storage/ids.h"

namespace statmill {

struct NameBlock;
class RowFilter;

struct SelectedName {
  SeriesId id = 0;
  NameRow row;
  friend auto operator<=>(const SelectedName&, const SelectedName&) = default;
};

// A node of the tree of paths: the paths of names without tags, cut at their dots.
struct TreeNode {
  std::string path;
  bool is_leaf = false;    // a series has this path
  bool is_branch = false;  // series have longer paths that begin with this one
};

// add() and remove() need the caller's lock: one writer at a time. Any number of threads may use the other
// functions at the same time, without a lock. Names that are added or removed meanwhile may be seen or not.
class NameIndex {
 public:
  static constexpr uint32_t kPartsMax = 32;   // a name with more is a row of the table of whole names
  static constexpr size_t kTablesMax = 4096;  // names of further shapes are, too, and of further keys
  static constexpr size_t kKeysMax = 4096;
  static constexpr uint32_t kRowsPerCancel = 65536;

  // Looked at before every kRowsPerCancel rows; true ends the call with kBusy, "cancelled".
  using IsCancelled = std::function<bool()>;

  NameIndex();
  NameIndex(const NameIndex&) = delete;
  NameIndex& operator=(const NameIndex&) = delete;

  // Cost: 0.3 to 1 us. Requires: 1 to kNameBytesMax bytes.
  NameRow add(std::string_view name, SeriesId id);
  // Hides a name from later searches. Returns false if it was removed before.
  bool remove(NameRow row);

  // Calls `visit` with each name that satisfies all matchers, in no order, until it returns false. No
  // matcher: all names. Errors: kInvalid, kLimit (of a regular expression or glob), kBusy (cancelled).
  Status select(std::span<const LabelMatcher> matchers, const std::function<bool(const SelectedName&)>& visit,
                const IsCancelled& is_cancelled = {}) const;
  // The same as a list. Errors: also kLimit if more than `limit` names do.
  Result<std::vector<SelectedName>> select(std::span<const LabelMatcher> matchers, size_t limit,
                                           const IsCancelled& is_cancelled = {}) const;
  // Calls `visit` with each name that matches, in no order, until it returns false. The text is valid during
  // the call.
  using Visit = std::function<bool(std::string_view name)>;
  Status search(const Glob& glob, const Visit& visit, const IsCancelled& is_cancelled = {}) const;

  std::string name_of(NameRow row) const;
  // Without escapes, ascending by name; see labels_of() in proto/prometheus/labels_name.h.
  LabelPairs labels_of(NameRow row) const;
  // The value of one label, or of `__n000__` and its like; empty if the name does not have it.
  std::string label_of(NameRow row, std::string_view label) const;

  // The names of all labels of the series that satisfy the matchers, ascending. Errors: as select().
  Result<std::vector<std::string>> label_names(std::span<const LabelMatcher> matchers,
                                               const IsCancelled& is_cancelled = {}) const;
  // The values of one label of these series, ascending, without the empty one.
  Result<std::vector<std::string>> label_values(std::string_view label,
                                                std::span<const LabelMatcher> matchers,
                                                const IsCancelled& is_cancelled = {}) const;
  // The nodes whose parts match the globs between the dots of the pattern, one each, ascending: "host.*" has
  // all nodes below `host`. Dots in braces do not cut. Errors: as select().
  Result<std::vector<TreeNode>> children(std::string_view pattern,
                                         const IsCancelled& is_cancelled = {}) const;

  size_t ram_bytes() const { return ram_bytes_.load(std::memory_order_relaxed); }
  // Names removed since the start; their rows and texts keep their memory until the next one.
  size_t removed_count() const { return removed_.load(std::memory_order_relaxed); }

 private:
  // A table and its rows that a search looks at.
  struct TableRows {
    uint32_t number;
    const NameTable* table;
    uint32_t rows;
  };
  class Scan;

  std::vector<TableRows> tables() const;
  uint32_t table_for(const NameParts& parts, uint32_t path_parts);
  uint32_t add_table(uint32_t path_parts, std::vector<std::string> keys);
  TokenDictionary* dictionary_of_key(const std::string& key);

  RetiredMemory retired_;
  std::vector<std::unique_ptr<TokenDictionary>> part_dictionaries_;  // by position
  TokenDictionary whole_names_;
  // Used by the writer only, as the next ones.
  std::unordered_map<std::string, std::unique_ptr<TokenDictionary>, NameHash, std::equal_to<>>
      key_dictionaries_;
  std::unordered_map<std::string, uint32_t, NameHash, std::equal_to<>> shapes_;  // to tables
  std::vector<std::unique_ptr<NameTable>> own_tables_;
  std::vector<Token> tokens_;
  std::string shape_;
  // Each is written once, before the count is released that includes it.
  std::array<const NameTable*, kTablesMax> tables_{};
  std::atomic<uint32_t> table_count_{0};  // released by the writer, acquired by readers
  std::atomic<size_t> ram_bytes_{0};      // for metrics, as the next one: relaxed
  std::atomic<size_t> removed_{0};
};

}  // namespace statmill
