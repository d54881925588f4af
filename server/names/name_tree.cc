// The tree of paths that NameIndex lists.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "base/process_hash.h"
#include "base/text.h"
#include "proto/prometheus/labels_name.h"
#include "server/names/name_scan.h"
#include "server/names/token_set.h"

namespace statmill {
namespace {

// How a series belongs to a node: it is the node, it is the node with tags, or it is below the node.
enum Role : uint8_t { kLeaf, kTagged, kBelow };

Role role_of(bool is_whole_path, bool has_tags) {
  if (!is_whole_path) return kBelow;
  return has_tags ? kTagged : kLeaf;
}

// How many series have each role for a node.
using RoleCounts = std::array<uint32_t, 3>;

uint64_t sum_of(const RoleCounts& counts) {
  return uint64_t{counts[kLeaf]} + counts[kTagged] + counts[kBelow];
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

// One part of the pattern: the tokens that it may match, and the glob that they must match, too.
struct TreePart {
  TokenSet set;      // kNone, kOne or kAll
  const Glob* glob;  // nullptr if every token of the set matches
};

TreePart tree_part(const TokenDictionary& dictionary, std::string_view pattern, const Glob* glob) {
  using Form = TokenSet::Form;
  if (glob != nullptr && pattern == "*") return {{Form::kAll, 0, {}}, nullptr};
  if (glob != nullptr && Glob::is_pattern(pattern)) return {{Form::kAll, 0, {}}, glob};
  const Token token = dictionary.find(pattern);
  return {{token < dictionary.count() ? Form::kOne : Form::kNone, token, {}}, nullptr};
}

// Tries the glob of a part on the texts of the dictionary, so that only rows count whose tokens match. That
// costs less than the rows do if several parts vary.
void know_tokens(const TokenDictionary& dictionary, TreePart& part) {
  using Form = TokenSet::Form;
  const Token count = dictionary.count();
  Token last = 0;
  size_t found = 0;
  part.set.is_in.resize(count);
  for (Token token = 0; token < count; ++token) {
    if (!part.glob->matches(dictionary.text(token))) continue;
    part.set.is_in[token] = 1;
    last = token;
    ++found;
  }
  part.glob = nullptr;
  part.set.token = last;
  part.set.form = found == 0 ? Form::kNone : found == 1 ? Form::kOne : Form::kSome;
  if (found <= 1) part.set.is_in.clear();
}

// The nodes found so far. A node is known by its tokens, which all tables number alike; those of the parts
// that only one token can match are left out.
class NodeSet {
 public:
  static constexpr size_t kMarksMax = size_t{1} << 20;

  NodeSet(const NameTable& table, std::vector<TreePart> parts) : parts_(std::move(parts)) {
    size_t marks = 1;
    for (size_t c = 0; c < parts_.size(); ++c) {
      dictionaries_.push_back(&table.dictionary(c));
      if (parts_[c].set.form == TokenSet::Form::kOne) continue;
      const size_t count = dictionaries_.back()->count();
      varying_.push_back(c);
      counts_.push_back(count);
      if (marks <= kMarksMax) marks *= count;
    }
    if (varying_.size() <= 1 || marks <= kMarksMax) marks_.resize(marks);
    key_.resize(varying_.size());
  }

  // Adds the node of each row of the set whose fixed parts match.
  void add(const NameBlock& block, RowBits& bits) {
    for (size_t c = 0; c < parts_.size() && has_rows(bits); ++c) keep_tokens(block, c, parts_[c].set, bits);
    const Role role = role_of(block.table.parts() == parts_.size(), !block.table.keys().empty());
    if (varying_.size() == 1) return add_marks(block, bits, role);
    for_each_row(bits, [&](uint32_t row) {
      for (size_t i = 0; i < varying_.size(); ++i)
        key_[i] = block.segment.token(varying_[i], block.begin + row);
      ++(marks_.empty() ? nodes_[key_] : marks_[mark_of(key_)])[role];
      return true;
    });
  }

  // Returns the bytes of the nodes that are new since the last call. Those of a table of all keys have a
  // limit.
  size_t new_bytes() {
    const size_t bytes = nodes_.size() * (96 + key_.size() * sizeof(Token));  // 96: of the map, about
    return bytes - std::exchange(bytes_, bytes);
  }
  // Calls `visit(path, counts)` with each node that matches.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, counts] : nodes_) {
      if (is_in(key) && !visit(path_of(key), counts)) return;
    }
    std::vector<Token> key(varying_.size());
    for (size_t mark = 0; mark < marks_.size(); ++mark) {
      if (sum_of(marks_[mark]) == 0) continue;
      size_t left = mark;
      for (size_t i = key.size(); i-- > 0; left /= counts_[i]) key[i] = static_cast<Token>(left % counts_[i]);
      if (is_in(key) && !visit(path_of(key), marks_[mark])) return;
    }
  }

 private:
  struct Hash {
    size_t operator()(const std::vector<Token>& key) const {
      return process_hash()({reinterpret_cast<const char*>(key.data()), key.size() * sizeof(Token)});
    }
  };

  void add_marks(const NameBlock& block, const RowBits& bits, Role role) {
    RoleCounts* const marks = marks_.data();
    block.segment.with_column(varying_[0], [&](const auto* tokens) {
      tokens += block.begin;
      for (uint32_t w = 0; w < block.words(); ++w) {
        if (bits[w] == ~uint64_t{0}) {
          for (uint32_t i = 0; i < 64; ++i) ++marks[tokens[64 * w + i]][role];
          continue;
        }
        for (uint64_t left = bits[w]; left != 0; left &= left - 1)
          ++marks[tokens[64 * w + static_cast<uint32_t>(std::countr_zero(left))]][role];
      }
    });
  }
  size_t mark_of(const std::vector<Token>& key) const {
    size_t mark = 0;
    for (size_t i = 0; i < key.size(); ++i) mark = mark * counts_[i] + key[i];
    return mark;
  }
  bool is_in(const std::vector<Token>& key) const {
    for (size_t i = 0; i < key.size(); ++i) {
      const Glob* const glob = parts_[varying_[i]].glob;
      if (glob != nullptr && !glob->matches(dictionaries_[varying_[i]]->text(key[i]))) return false;
    }
    return true;
  }
  std::string path_of(const std::vector<Token>& key) const {
    std::string path;
    for (size_t c = 0, i = 0; c < parts_.size(); ++c) {
      const bool varies = i < varying_.size() && varying_[i] == c;
      if (c > 0) path += '.';
      path += dictionaries_[c]->text(varies ? key[i++] : parts_[c].set.token);
    }
    return path;
  }

  const std::vector<TreePart> parts_;
  std::vector<const TokenDictionary*> dictionaries_;
  std::vector<size_t> varying_;  // the parts that several tokens may match
  std::vector<size_t> counts_;   // of their dictionaries
  // The counts of the nodes, by the numbers of all keys or, if these are too many, by key.
  std::vector<RoleCounts> marks_;
  std::unordered_map<std::vector<Token>, RoleCounts, Hash> nodes_;
  std::vector<Token> key_;
  size_t bytes_ = 0;  // that new_bytes() has returned
};

// Adds the node of a name that no table has. `accepts(c, text)` tells whether part c of the path may be a
// text.
template <class Accepts>
void add_other_name(std::string_view name, size_t parts_wanted, std::map<std::string, RoleCounts>& found,
                    const Accepts& accepts) {
  const NameParts parts = parts_of(name);
  if (parts.path.find(';') != std::string_view::npos) return;
  const std::vector<std::string_view> texts = split(parts.path, '.');
  if (texts.size() < parts_wanted) return;
  std::string path;
  for (size_t c = 0; c < parts_wanted; ++c) {
    if (!accepts(c, texts[c])) return;
    path.append(c == 0 ? "" : ".").append(texts[c]);
  }
  ++found[path][role_of(texts.size() == parts_wanted, !parts.tags.empty())];
}

// The eight bytes from `begin` on, as a number that sorts like them.
uint64_t sort_key(std::string_view text, size_t begin) {
  uint64_t key = 0;
  for (size_t i = begin; i < begin + sizeof(key); ++i)
    key = key << 8 | (i < text.size() ? static_cast<uint8_t>(text[i]) : 0);
  return key;
}

// Ascending by path, each path once. The paths of a level mostly begin alike.
std::vector<TreeNode> sorted(std::vector<TreeNode> found) {
  size_t same = found.empty() ? 0 : found[0].path.size();
  for (const TreeNode& node : found) {
    const auto end = std::mismatch(node.path.begin(), node.path.end(), found[0].path.begin(),
                                   found[0].path.begin() + static_cast<ptrdiff_t>(same));
    same = static_cast<size_t>(end.first - node.path.begin());
  }
  std::vector<std::pair<uint64_t, TreeNode*>> order;
  order.reserve(found.size());
  for (TreeNode& node : found) order.emplace_back(sort_key(node.path, same), &node);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second->path < b.second->path;
  });
  std::vector<TreeNode> nodes;
  nodes.reserve(order.size());
  for (const auto& [key, node] : order) nodes.push_back(std::move(*node));
  size_t kept = 0;
  for (TreeNode& node : nodes) {
    if (kept > 0 && nodes[kept - 1].path == node.path) {
      TreeNode& to = nodes[kept - 1];
      to.series += node.series;
      to.is_leaf = to.is_leaf || node.is_leaf;
      to.has_tags = to.has_tags || node.has_tags;
      to.is_branch = to.is_branch || node.is_branch;
    } else if (&nodes[kept++] != &node) {
      nodes[kept - 1] = std::move(node);
    }
  }
  nodes.resize(kept);
  return nodes;
}

}  // namespace

Result<std::vector<TreeNode>> NameIndex::children(std::string_view pattern, const IsCancelled& is_cancelled,
                                                  const TakeMemory& take_memory) const {
  const std::vector<std::string_view> texts = parts_of_pattern(pattern);
  std::vector<Glob> globs;
  for (const std::string_view text : texts) {
    auto glob = Glob::parse(text);
    if (!glob) return glob.error();
    globs.push_back(std::move(*glob));
  }
  std::vector<PartPattern> patterns;
  for (size_t c = 0; c < texts.size(); ++c) patterns.push_back({texts[c], &globs[c]});
  return children(patterns, is_cancelled, take_memory);
}

Result<std::vector<TreeNode>> NameIndex::children_of(std::string_view prefix, const IsCancelled& is_cancelled,
                                                     const TakeMemory& take_memory) const {
  if (!prefix.empty() && !prefix.ends_with('.'))
    return Error{ErrorCode::kInvalid, "a prefix ends with a dot"};
  const Glob any = *Glob::parse("*");
  std::vector<PartPattern> patterns;
  // The last part of the prefix is empty; an empty prefix has none.
  const std::vector<std::string_view> texts = split(prefix, '.');
  for (size_t c = 0; c + 1 < texts.size(); ++c) patterns.push_back({texts[c], nullptr});
  patterns.push_back({any.text(), &any});
  return children(patterns, is_cancelled, take_memory);
}

Result<std::vector<TreeNode>> NameIndex::children(std::span<const PartPattern> patterns,
                                                  const IsCancelled& is_cancelled,
                                                  const TakeMemory& take_memory) const {
  Scan scan(*this, is_cancelled);
  std::vector<TreeNode> out;
  Status held;
  // Returns false if no more nodes may be added. sorted() holds each node twice, and a number to sort by.
  const auto add = [&](TreeNode node) {
    constexpr size_t kNodeBytes = 2 * sizeof(TreeNode) + sizeof(std::pair<uint64_t, TreeNode*>);
    if (held && take_memory) held = take_memory(kNodeBytes + node.path.size());
    if (held) out.push_back(std::move(node));
    return static_cast<bool>(held);
  };
  if (patterns.size() == 1 && patterns[0].glob != nullptr) {
    RowFilter flat = RowFilter::of(*patterns[0].glob);
    scan.for_each_flat(flat, [&](std::string_view name) {
      return add({.path = std::string(name), .series = 1, .is_leaf = true});
    });
  }
  std::map<std::string, RoleCounts> others;
  RowFilter all = *RowFilter::parse({});
  scan.for_each_other(all, [&](std::string_view name) {
    add_other_name(name, patterns.size(), others, [&](size_t c, std::string_view text) {
      return patterns[c].glob == nullptr ? text == patterns[c].text : patterns[c].glob->matches(text);
    });
    return true;
  });
  std::optional<NodeSet> nodes;
  for (const TableRows& table : scan.tables()) {
    if (scan.is_cancelled()) break;
    if (table.table->parts() < patterns.size()) continue;
    if (!nodes) {
      std::vector<TreePart> parts;
      for (size_t c = 0; c < patterns.size(); ++c)
        parts.push_back(tree_part(table.table->dictionary(c), patterns[c].text, patterns[c].glob));
      const auto varies = [](const TreePart& part) { return part.set.form == TokenSet::Form::kAll; };
      if (std::ranges::count_if(parts, varies) > 1) {
        for (size_t c = 0; c < parts.size(); ++c) {
          if (parts[c].glob != nullptr) know_tokens(table.table->dictionary(c), parts[c]);
        }
      }
      nodes.emplace(*table.table, std::move(parts));
    }
    scan.for_each_block(table, [&](const NameBlock& block, RowBits& bits) {
      nodes->add(block, bits);
      const size_t bytes = nodes->new_bytes();
      if (bytes > 0 && take_memory) held = take_memory(bytes);
      return static_cast<bool>(held);
    });
    if (!held) return held.error();
  }
  if (scan.is_cancelled()) return scan.status().error();
  const auto put = [&add](std::string path, const RoleCounts& counts) {
    return add({.path = std::move(path),
                .series = sum_of(counts),
                .is_leaf = counts[kLeaf] != 0,
                .has_tags = counts[kTagged] != 0,
                .is_branch = counts[kBelow] != 0});
  };
  if (nodes && held) nodes->for_each(put);
  for (const auto& [path, counts] : others) {
    if (!put(path, counts)) break;
  }
  if (!held) return held.error();
  return sorted(std::move(out));
}

}  // namespace statmill
