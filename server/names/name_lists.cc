// What NameIndex lists: names and values of labels.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "proto/prometheus/labels_name.h"
#include "server/names/name_scan.h"

namespace statmill {
namespace {

using Texts = std::set<std::string, std::less<>>;

std::vector<std::string> list_of(Texts texts) {
  texts.erase("");
  return {texts.begin(), texts.end()};
}

}  // namespace

Result<std::vector<std::string>> NameIndex::label_names(std::span<const LabelMatcher> matchers,
                                                        const IsCancelled& is_cancelled) const {
  auto filter = RowFilter::parse(matchers);
  if (!filter) return filter.error();
  Texts names;
  Scan scan(*this, is_cancelled);
  for (const TableRows& table : scan.tables()) {
    scan.for_each_match(table, *filter, [&](const NameBlock& block, const RowBits& bits) {
      names.emplace(kNameLabel);
      for (const std::string& key : block.table.keys()) names.insert(unescaped(key));
      if (!block.table.has_whole_names()) return false;  // the other rows have the same labels
      return for_each_row(bits, [&](uint32_t row) {
        for (auto& [name, value] : labels_of({table.number, block.first_row + row})) names.insert(name);
        return true;
      });
    });
    if (scan.is_cancelled()) return scan.status().error();
  }
  return list_of(std::move(names));
}

Result<std::vector<std::string>> NameIndex::label_values(std::string_view label,
                                                         std::span<const LabelMatcher> matchers,
                                                         const IsCancelled& is_cancelled) const {
  auto filter = RowFilter::parse(matchers);
  if (!filter) return filter.error();
  Texts values;
  std::map<const TokenDictionary*, std::vector<bool>> seen;
  Scan scan(*this, is_cancelled);
  for (const TableRows& table : scan.tables()) {
    const bool is_whole = table.table->has_whole_names();
    const auto column = is_whole ? std::nullopt : column_of(*table.table, label);
    const bool is_path = !is_whole && !column && label == kNameLabel;
    if (!is_whole && !column && !is_path) continue;
    scan.for_each_match(table, *filter, [&](const NameBlock& block, const RowBits& bits) {
      if (!column) {
        return for_each_row(bits, [&](uint32_t row) {
          values.insert(label_of({table.number, block.first_row + row}, label));
          return true;
        });
      }
      const TokenDictionary& dictionary = block.table.dictionary(*column);
      std::vector<bool>& is_seen = seen[&dictionary];
      is_seen.resize(std::max<size_t>(is_seen.size(), dictionary.count()));
      return block.segment.with_column(*column, [&](const auto* tokens) {
        return for_each_row(bits, [&](uint32_t row) {
          is_seen[tokens[block.begin + row]] = true;
          return true;
        });
      });
    });
    if (scan.is_cancelled()) return scan.status().error();
  }
  for (const auto& [dictionary, tokens] : seen) {
    for (Token token = 0; token < tokens.size(); ++token) {
      if (tokens[token]) values.insert(unescaped(dictionary->text(token)));
    }
  }
  return list_of(std::move(values));
}

}  // namespace statmill
