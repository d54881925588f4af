// SyntaxTree: a parsed target of Graphite, such as aliasByNode(sum(host.*.cpu), 1).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace statmill::graphite {

using NodeId = uint32_t;

// A value type: the nodes are in one array, so nothing here recurses.
struct SyntaxTree {
  enum class Kind : uint8_t {
    kPath,     // `text` is the pattern as it is written
    kCall,     // `text` is the name of the function
    kText,     // "..." or '...'
    kNumber,   // also inf
    kBoolean,  // `number` is 0 or 1
    kNone,
  };
  struct Argument {
    std::string name;  // empty unless it is given as name=value
    NodeId value = 0;
    friend bool operator==(const Argument&, const Argument&) = default;
  };
  struct Node {
    Kind kind = Kind::kPath;
    std::string text;
    double number = 0;
    bool is_integer = false;          // of kNumber: it is written without a point and exponent
    std::vector<Argument> arguments;  // of kCall; those with names are the last
    std::string raw;                  // of a call of seriesByTag: its text
    size_t position = 0;              // of its first byte in the target
  };

  std::vector<Node> nodes;
  NodeId root = 0;

  const Node& at(NodeId id) const { return nodes[id]; }
  // How many calls are inside each other, in brackets or by pipes: what walks the tree recurses as often.
  size_t depth() const {
    std::vector<size_t> calls(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {  // arguments come before their call
      for (const Argument& argument : nodes[i].arguments)
        calls[i] = std::max(calls[i], calls[argument.value]);
      if (nodes[i].kind == Kind::kCall) ++calls[i];
    }
    return calls.empty() ? 0 : calls[root];
  }
};

// The canonical text of a node and those below it. parse_target() of that of a root yields the same text.
std::string text_of(const SyntaxTree& tree, NodeId id);
inline std::string text_of(const SyntaxTree& tree) { return text_of(tree, tree.root); }

}  // namespace statmill::graphite
