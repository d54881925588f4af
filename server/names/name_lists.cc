// What NameIndex lists: names and values of labels, and nodes of the tree.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/text.h"
#include "proto/prometheus/labels_name.h"
#include "server/names/name_scan.h"

namespace statmill {
namespace {

using Texts = std::set<std::string, std::less<>>;

std::vector<std::string> list_of(Texts texts) {
  texts.erase("");
  return {texts.begin(), texts.end()};
}

// Cuts a pattern at its dots, but not in braces or sets.
std::vector<std::string_view> parts_of_pattern(std::string_view pattern) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  bool is_in_braces = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{') is_in_braces = true;
    if (pattern[i] == '}') is_in_braces = false;
    if (pattern[i] != '.' || is_in_braces) continue;
    parts.push_back(pattern.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(pattern.substr(begin));
  return parts;
}

// Which tokens of a dictionary a glob matches.
std::vector<uint8_t> tokens_matching(const TokenDictionary& dictionary, const Glob& glob) {
  std::vector<uint8_t> is_in(dictionary.count());
  for (Token token = 0; token < is_in.size(); ++token)
    is_in[token] = glob.matches(dictionary.text(token)) ? 1 : 0;
  return is_in;
}

// The nodes found so far. A node is known by its tokens, which all tables number alike.
class NodeSet {
 public:
  static constexpr uint8_t kLeaf = 1;
  static constexpr uint8_t kBranch = 2;

  NodeSet(const NameTable& table, size_t depth) : table_(table), depth_(depth) {}

  // Adds the node of each row. Most rows have the node of the row before.
  void add(const NameBlock& block, const RowBits& bits) {
    key_.resize(depth_);
    for_each_row(bits, [&](uint32_t row) {
      bool is_same = last_ != nullptr;
      for (size_t c = 0; c < depth_; ++c) {
        const Token token = block.segment.token(c, block.begin + row);
        is_same = is_same && key_[c] == token;
        key_[c] = token;
      }
      if (!is_same) last_ = &nodes_[key_];
      *last_ |= table_.parts() == depth_ ? kLeaf : kBranch;
      return true;
    });
  }
  void add_to(std::map<std::string, uint8_t>& found) const {
    for (const auto& [key, kind] : nodes_) {
      std::string path;
      for (size_t c = 0; c < depth_; ++c)
        path.append(table_.separator(c)).append(table_.dictionary(c).text(key[c]));
      found[path] |= kind;
    }
  }

 private:
  struct Hash {
    size_t operator()(const std::vector<Token>& key) const {
      return hash_name({reinterpret_cast<const char*>(key.data()), key.size() * sizeof(Token)});
    }
  };
  const NameTable& table_;
  const size_t depth_;
  std::unordered_map<std::vector<Token>, uint8_t, Hash> nodes_;
  std::vector<Token> key_;
  uint8_t* last_ = nullptr;
};

// Adds the node of a name from the table of whole names.
void add_whole_name(std::string_view name, std::span<const Glob> globs,
                    std::map<std::string, uint8_t>& found) {
  const NameParts parts = parts_of(name);
  if (!parts.tags.empty() || parts.path.find(';') != std::string_view::npos) return;
  const std::vector<std::string_view> texts = split(parts.path, '.');
  if (texts.size() < globs.size()) return;
  std::string path;
  for (size_t c = 0; c < globs.size(); ++c) {
    if (!globs[c].matches(texts[c])) return;
    path.append(c == 0 ? "" : ".").append(texts[c]);
  }
  found[path] |= texts.size() == globs.size() ? NodeSet::kLeaf : NodeSet::kBranch;
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

Result<std::vector<TreeNode>> NameIndex::children(std::string_view pattern,
                                                  const IsCancelled& is_cancelled) const {
  std::vector<Glob> globs;
  for (const std::string_view part : parts_of_pattern(pattern)) {
    auto glob = Glob::parse(part);
    if (!glob) return glob.error();
    globs.push_back(std::move(*glob));
  }
  std::map<std::string, uint8_t> found;
  Scan scan(*this, is_cancelled);
  std::vector<std::vector<uint8_t>> is_in;  // by part, for its tokens
  for (size_t c = 0; c < std::min<size_t>(globs.size(), kPartsMax); ++c)
    is_in.push_back(tokens_matching(*part_dictionaries_[c], globs[c]));
  for (const TableRows& table : scan.tables()) {
    const bool is_whole = table.table->has_whole_names();
    if (!is_whole && (!table.table->keys().empty() || table.table->parts() < globs.size())) continue;
    NodeSet nodes(*table.table, is_whole ? 0 : globs.size());
    scan.for_each_block(table, [&](const NameBlock& block, RowBits& bits) {
      if (is_whole) {
        return for_each_row(bits, [&](uint32_t row) {
          add_whole_name(block.table.text(0, block.first_row + row), globs, found);
          return true;
        });
      }
      for (size_t c = 0; c < globs.size(); ++c) {
        block.segment.with_column(c, [&](const auto* tokens) {
          keep_rows(bits, [&](uint32_t row) { return is_in[c][tokens[block.begin + row]] != 0; });
        });
      }
      nodes.add(block, bits);
      return true;
    });
    if (scan.is_cancelled()) return scan.status().error();
    if (!is_whole) nodes.add_to(found);
  }
  std::vector<TreeNode> out;
  out.reserve(found.size());
  for (const auto& [path, kind] : found)
    out.push_back({path, (kind & NodeSet::kLeaf) != 0, (kind & NodeSet::kBranch) != 0});
  return out;
}

}  // namespace statmill
