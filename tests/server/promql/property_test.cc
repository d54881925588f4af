// Laws of parser and printer, on random trees and random bytes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <random>
#include <string>

#include "server/promql/parser.h"
#include "server/promql/printer.h"
#include "tests/server/promql/trees.h"

namespace statmill::promql {
namespace {

constexpr int kDepthMax = 5;

// Printed in one line and in several, a tree is parsed to the same tree.
RC_GTEST_PROP(PromqlProperty, APrintedTreeIsParsedToItself, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  const SyntaxTree tree = random_tree(random, static_cast<int>(random() % kDepthMax));
  RC_PRE(tree.nodes.size() < kNodesMax / 4);  // labels and matchers count, too
  for (const std::string& text : {print_line(tree), print_lines(tree)}) {
    const auto parsed = parse_promql(text);
    if (!parsed) RC_FAIL(text + ": " + parsed.error().message);
    RC_LOG() << text;
    RC_ASSERT(with_sorted_matchers(*parsed) == with_sorted_matchers(tree));
  }
}

// Texts of tokens in any order are mostly invalid, in every place of the parser.
std::string random_tokens(std::mt19937_64& random) {
  constexpr std::array kTokens = {
      "a",    "sum",      "rate",   "(",     ")",         "{",  "}",    "[",          "]",       ",",
      ":",    "=",        "==",     "=~",    "!~",        "!=", "+",    "-",          "^",       "*",
      "and",  "unless",   "on",     "by",    "5m",        "1h", "1",    ".5",         "inf",     "\"b\"",
      "'",    "offset",   "@",      "start", "#",         "\n", "bool", "group_left", "without", "topk",
      "\xff", "anchored", "time()", "[5m]",  "{a=\"b\"}", "0x"};
  std::string text;
  for (uint64_t count = random() % 40; count > 0; --count) {
    text += kTokens[random() % kTokens.size()];
    if (random() % 2 == 0) text += ' ';
  }
  return text;
}

// Any text is refused with a place inside it, or its canonical text is a fixed point.
void check_text(const std::string& text) {
  const auto tree = parse_promql(text);
  if (!tree) {
    RC_ASSERT(tree.error().code == ErrorCode::kInvalid);
    RC_ASSERT(tree.error().message.find(": parse error: ") != std::string::npos);
    return;
  }
  const std::string printed = print_line(*tree);
  const auto again = parse_promql(printed);
  if (!again) RC_FAIL(text + " -> " + printed + ": " + again.error().message);
  RC_ASSERT(print_line(*again) == printed);
  RC_ASSERT(with_sorted_matchers(*again) == with_sorted_matchers(*tree));
}

RC_GTEST_PROP(PromqlProperty, AnyTokensAreReadOrRefused, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20; ++i) check_text(random_tokens(random));
}

RC_GTEST_PROP(PromqlProperty, AnyBytesAreReadOrRefused, (const std::string& bytes)) { check_text(bytes); }

// A valid query with one byte changed is read or refused, too.
RC_GTEST_PROP(PromqlProperty, AChangedByteIsReadOrRefused, (uint64_t seed)) {
  std::mt19937_64 random(seed);
  std::string text = print_line(random_tree(random, 3));
  RC_PRE(!text.empty());
  text[random() % text.size()] = static_cast<char>(random());
  check_text(text);
}

}  // namespace
}  // namespace statmill::promql
