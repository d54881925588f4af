// Any text is refused with its place, or its canonical text is a fixed point of parser and printer, in one
// line and in several. The input is also read as a regular expression.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "server/promql/parser.h"
#include "server/promql/printer.h"
#include "server/promql/regex_syntax.h"
#include "server/promql/tree_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill::promql;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(matches_empty(text));
  const auto tree = parse_promql(text);
  if (!tree) {
    SM_CHECK(tree.error().message.find(": parse error: ") != std::string::npos);
    return 0;
  }
  const std::string line = print_line(*tree);
  if (line.size() > kQueryBytesMax) return 0;  // escapes made it longer than a query may be
  const auto again = parse_promql(line);
  SM_CHECK(again && print_line(*again) == line);
  const std::string lines = print_lines(*tree);
  if (lines.size() > kQueryBytesMax) return 0;
  const auto from_lines = parse_promql(lines);
  SM_CHECK(from_lines && *from_lines == *again);
  std::string json;
  append_tree_json(json, *tree);
  SM_CHECK(json.starts_with("{\"type\":\""));
  return 0;
}
