// Any target is refused with a reason, or its canonical text is parsed as a tree of the same kinds and is
// printed as it is. The input is also read as a time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "server/graphite/attime.h"
#include "server/graphite/target_parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill::graphite;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(parse_time_offset(text));
  const auto time = parse_attime(text, 1'700'000'000);
  SM_CHECK(!time || *time >= 0);
  const auto tree = parse_target(text);
  if (!tree) {
    SM_CHECK(!tree.error().message.empty());
    return 0;
  }
  const std::string canonical = text_of(*tree);
  if (canonical.size() > kTargetTextMax || text.find("template") != std::string_view::npos) return 0;
  const auto again = parse_target(canonical);
  SM_CHECK(again && text_of(*again) == canonical);
  SM_CHECK(
      std::ranges::equal(tree->nodes, again->nodes, {}, &SyntaxTree::Node::kind, &SyntaxTree::Node::kind));
  return 0;
}
