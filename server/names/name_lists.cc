// What NameIndex lists: names and values of labels.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/hash.h"
#include "base/text.h"
#include "base/text_map.h"
#include "proto/name_escapes.h"
#include "proto/prometheus/labels_name.h"
#include "server/names/name_labels.h"
#include "server/names/name_scan.h"

namespace statmill {
namespace {

// Distinct texts, up to a limit.
class Texts {
 public:
  explicit Texts(size_t limit) : limit_(limit) {}

  bool has(std::string_view text) const { return text.empty() || texts_.contains(text); }
  // Returns false if there are more than the limit.
  bool add(std::string_view text) {
    if (!has(text)) texts_.emplace(text);
    return !is_over();
  }
  bool is_over() const { return texts_.size() > limit_; }
  std::vector<std::string> sorted() && {
    std::vector<std::string> out;
    out.reserve(texts_.size());
    while (!texts_.empty()) out.push_back(std::move(texts_.extract(texts_.begin()).value()));
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  const size_t limit_;
  TextSet texts_;
};

// The value of a label of a name without escapes; empty if it has none.
std::string value_of(std::string_view name, std::string_view label) {
  if (const auto number = part_number(label)) {
    const NameParts parts = parts_of(name);
    const std::vector<std::string_view> texts = split(parts.path, '.');
    return *number < texts.size() ? unescaped(texts[*number]) : std::string();
  }
  for (auto& [key, value] : labels_of(name)) {
    if (key == label) return std::move(value);
  }
  return {};
}

// Which series are listed.
class Listed {
 public:
  explicit Listed(const NameIndex::ListOptions& options) : options_(options) {}

  bool has(std::string_view name) const { return !options_.is_listed || options_.is_listed(name); }
  bool has(const NameBlock& block, uint32_t row) {
    if (!options_.is_listed) return true;
    name_.clear();
    block.table.append_name(block.first_row + row, name_);
    return options_.is_listed(name_);
  }

 private:
  const NameIndex::ListOptions& options_;
  std::string name_;
};

// Returns false if there are more values than the limit.
bool add_paths(const NameBlock& block, const RowBits& bits, Listed& listed, Texts& values) {
  std::string path;
  return for_each_row(bits, [&](uint32_t row) {
    path.clear();
    block.table.append_path(block.first_row + row, path);
    if (has_escape(path)) path = unescaped(path);
    return values.has(path) || !listed.has(block, row) || values.add(path);
  });
}

// Counts the paths of rows without escapes.
void count_paths(const NameBlock& block, const RowBits& bits, std::map<std::string, uint64_t>& counts) {
  std::string path;
  for_each_row(bits, [&](uint32_t row) {
    path.clear();
    block.table.append_path(block.first_row + row, path);
    ++counts[has_escape(path) ? unescaped(path) : path];
    return true;
  });
}

// Marks the tokens of a column.
void mark_tokens(const NameBlock& block, size_t column, const RowBits& bits, Listed& listed,
                 std::vector<uint8_t>& marks) {
  marks.resize(std::max<size_t>(marks.size(), block.table.dictionary(column).count()));
  block.segment.with_column(column, [&](const auto* tokens) {
    for_each_row(bits, [&](uint32_t row) {
      uint8_t& mark = marks[tokens[block.begin + row]];
      if (mark == 0 && listed.has(block, row)) mark = 1;
      return true;
    });
  });
}

// The labels that all rows of a table have.
std::vector<std::string> table_labels(const NameTable& table) {
  std::vector<std::string> labels = {std::string(kNameLabel)};
  for (const std::string& key : table.keys()) labels.push_back(unescaped(key));
  return labels;
}

}  // namespace

Result<std::vector<std::string>> NameIndex::label_names(std::span<const LabelMatcher> matchers,
                                                        const ListOptions& options) const {
  auto filter = RowFilter::parse(matchers);
  if (!filter) return filter.error();
  Texts names(SIZE_MAX);
  Listed listed(options);
  Scan scan(*this, options.is_cancelled);
  scan.for_each_flat(*filter, [&](std::string_view name) {
    if (!listed.has(name)) return true;
    names.add(kNameLabel);
    return false;  // the other names have the same label
  });
  scan.for_each_other(*filter, [&](std::string_view name) {
    const LabelPairs labels = labels_of(name);
    const auto is_known = [&names](const LabelPair& label) { return names.has(label.first); };
    if (std::ranges::all_of(labels, is_known) || !listed.has(name)) return true;
    for (const auto& [key, value] : labels) names.add(key);
    return true;
  });
  for (const TableRows& table : scan.tables()) {
    const std::vector<std::string> labels = table_labels(*table.table);
    const auto is_known = [&names](const std::string& label) { return names.has(label); };
    if (std::ranges::all_of(labels, is_known)) continue;
    scan.for_each_match(table, *filter, [&](const NameBlock& block, const RowBits& bits) {
      return for_each_row(bits, [&](uint32_t row) {
        if (!listed.has(block, row)) return true;
        for (const std::string& label : labels) names.add(label);
        return false;  // the other rows have the same labels
      });
    });
    if (scan.is_cancelled()) break;
  }
  if (scan.is_cancelled()) return scan.status().error();
  return std::move(names).sorted();
}

std::map<std::string, size_t> NameIndex::value_counts() const {
  std::map<std::string, size_t> counts;
  std::set<std::string_view> seen;  // keys, of which several tables may use the dictionary
  for (const TableRows& table : tables()) {
    const std::vector<std::string>& keys = table.table->keys();
    for (size_t i = 0; i < keys.size(); ++i) {
      if (seen.insert(keys[i]).second)
        counts[unescaped(keys[i])] += table.table->dictionary(table.table->parts() + i).count();
    }
  }
  return counts;
}

Result<std::map<std::string, uint64_t>> NameIndex::series_by_value(std::string_view label,
                                                                   const IsCancelled& is_cancelled) const {
  std::map<std::string, uint64_t> counts;
  Scan scan(*this, is_cancelled);
  RowFilter all = *RowFilter::parse({});
  const auto add_name = [&](std::string_view name) {
    std::string value = value_of(name, label);
    if (!value.empty()) ++counts[std::move(value)];
    return true;
  };
  if (label == kNameLabel || part_number(label) == size_t{0}) scan.for_each_flat(all, add_name);
  scan.for_each_other(all, add_name);
  std::map<const TokenDictionary*, std::vector<uint64_t>> of_tokens;
  for (const TableRows& table : scan.tables()) {
    if (scan.is_cancelled()) break;
    const auto column = column_of(*table.table, label);
    if (!column && label == kNameLabel) {
      scan.for_each_block(table, [&](const NameBlock& block, const RowBits& bits) {
        count_paths(block, bits, counts);
        return true;
      });
    }
    if (!column) continue;
    const TokenDictionary& dictionary = table.table->dictionary(*column);
    std::vector<uint64_t>& tokens_seen = of_tokens[&dictionary];
    tokens_seen.resize(std::max<size_t>(tokens_seen.size(), dictionary.count()));
    scan.for_each_block(table, [&](const NameBlock& block, const RowBits& bits) {
      return block.segment.with_column(*column, [&](const auto* tokens) {
        return for_each_row(bits, [&](uint32_t row) {
          ++tokens_seen[tokens[block.begin + row]];
          return true;
        });
      });
    });
  }
  if (scan.is_cancelled()) return scan.status().error();
  for (const auto& [dictionary, tokens_seen] : of_tokens) {
    for (Token token = 0; token < tokens_seen.size(); ++token) {
      if (tokens_seen[token] != 0) counts[unescaped(dictionary->text(token))] += tokens_seen[token];
    }
  }
  return counts;
}

Result<std::vector<std::string>> NameIndex::label_values(std::string_view label,
                                                         std::span<const LabelMatcher> matchers,
                                                         const ListOptions& options) const {
  auto filter = RowFilter::parse(matchers);
  if (!filter) return filter.error();
  Texts values(options.limit);
  Listed listed(options);
  Scan scan(*this, options.is_cancelled);
  const auto add_value = [&](std::string_view name, std::string_view value) {
    return values.has(value) || !listed.has(name) || values.add(value);
  };
  if (label == kNameLabel || part_number(label) == size_t{0})
    scan.for_each_flat(*filter, [&](std::string_view name) { return add_value(name, unescaped(name)); });
  if (!values.is_over()) {
    scan.for_each_other(*filter,
                        [&](std::string_view name) { return add_value(name, value_of(name, label)); });
  }
  std::map<const TokenDictionary*, std::vector<uint8_t>> seen;
  for (const TableRows& table : scan.tables()) {
    if (scan.is_cancelled() || values.is_over()) break;
    const auto column = column_of(*table.table, label);
    if (!column && label != kNameLabel) continue;
    scan.for_each_match(table, *filter, [&](const NameBlock& block, const RowBits& bits) {
      if (!column) return add_paths(block, bits, listed, values);
      mark_tokens(block, *column, bits, listed, seen[&block.table.dictionary(*column)]);
      return true;
    });
  }
  for (const auto& [dictionary, marks] : seen) {
    for (Token token = 0; token < marks.size() && !values.is_over(); ++token) {
      if (marks[token] != 0) values.add(unescaped(dictionary->text(token)));
    }
  }
  if (scan.is_cancelled()) return scan.status().error();
  return std::move(values).sorted();
}

}  // namespace statmill
