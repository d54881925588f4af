#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "base/text.h"
#include "server/graphite/target.h"
#include "server/graphite/target_words.h"

namespace statmill::graphite {
namespace {

using Kind = SyntaxTree::Kind;
using Node = SyntaxTree::Node;

// Returns true if the text has this quote without a backslash before it.
bool has_plain(std::string_view text, char quote) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == quote) return true;
    if (text[i] == '\\') ++i;
  }
  return false;
}

// Writes a finite number so that it is parsed as the same one again.
std::string number_text(const Node& node) {
  std::string out;
  if (std::isinf(node.number)) return node.number > 0 ? "inf" : "-1e999";
  append_number(out, node.number);
  return out;
}

// Returns true if the path would be parsed as a name and a value if it were an argument: a=b|abs().
bool is_like_named(std::string_view path) {
  const auto end = std::ranges::find_if_not(path, is_word);
  return end != path.end() && *end == '=' && is_word_start(path.front());
}

void append_text(std::string& out, const SyntaxTree& tree, NodeId id) {
  const Node& node = tree.at(id);
  switch (node.kind) {
    case Kind::kPath:
      out += node.text;
      return;
    case Kind::kText: {
      // A text with both kinds of quotes has a backslash before one of them.
      const char quote = has_plain(node.text, '"') ? '\'' : '"';
      out.append(1, quote).append(node.text).append(1, quote);
      return;
    }
    case Kind::kNumber:
      out += number_text(node);
      return;
    case Kind::kBoolean:
      out += node.number != 0 ? "true" : "false";
      return;
    case Kind::kNone:
      out += "none";
      return;
    case Kind::kCall:
      break;
  }
  out += node.text;
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    out += i == 0 ? '(' : ',';
    const auto& [name, value] = node.arguments[i];
    if (!name.empty()) out.append(name).append("=");
    const Node& of = tree.at(value);
    // The path before a pipe may look like a value: 5.0|abs(). A backslash keeps it a path.
    if (of.kind == Kind::kPath && (literal_of(of.text) || (name.empty() && is_like_named(of.text))))
      out += '\\';
    append_text(out, tree, value);
  }
  out += node.arguments.empty() ? "()" : ")";
}

}  // namespace

std::string text_of(const SyntaxTree& tree, NodeId id) {
  std::string out;
  append_text(out, tree, id);
  return out;
}

}  // namespace statmill::graphite
