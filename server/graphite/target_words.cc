#include "server/graphite/target_words.h"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>

#include "server/http/ignoring_case.h"

namespace statmill::graphite {
namespace {

using Kind = SyntaxTree::Kind;
using Node = SyntaxTree::Node;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<Node> parsed_number(std::string_view text) {
  const size_t first = text.starts_with('-') ? 1 : 0;
  if (text.size() == first || !is_digit(text[first]) || !is_digit(text.back())) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  // Infinite or 0, with its sign, which from_chars() does not say.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  Node node;
  node.kind = Kind::kNumber;
  node.number = value;
  node.is_integer = text.find_first_not_of("0123456789", first) == std::string_view::npos;
  return node;
}

std::optional<Node> literal_of(std::string_view word) {
  Node node;
  if (equals_ignoring_case(word, "true") || equals_ignoring_case(word, "false")) {
    node.kind = Kind::kBoolean;
    node.number = word.size() == 4 ? 1 : 0;
    return node;
  }
  if (equals_ignoring_case(word, "none")) {
    node.kind = Kind::kNone;
    return node;
  }
  if (equals_ignoring_case(word, "inf")) {
    node.kind = Kind::kNumber;
    node.number = std::numeric_limits<double>::infinity();
    return node;
  }
  return parsed_number(word);
}

}  // namespace statmill::graphite
