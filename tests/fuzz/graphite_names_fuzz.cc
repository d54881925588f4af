// Parameters of Graphite's routes for paths and tags are refused with a reason, or make a pattern and
// matchers that the index of names can read.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "server/graphite/find_query.h"
#include "server/graphite/tag_expression.h"
#include "server/graphite/tag_query.h"
#include "server/names/value_test.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto matcher = graphite::parse_tag_expression(text)) {
    SM_CHECK(!matcher->label.empty());
    if (const auto test = ValueTest::parse(*matcher)) static_cast<void>(test->accepts("web1"));
  }
  const auto prefix = ValueTest::parse({LabelMatcher::Op::kMatches, "t", graphite::regex_of_prefix(text)});
  SM_CHECK(!prefix || prefix->accepts(text + "x"));
  static_cast<void>(graphite::name_of_tagged_path(text));
  const auto url = parse_url("/metrics/find?" + text);
  if (!url) return 0;
  if (const auto query = graphite::parse_find_query(*url)) SM_CHECK(!query->pattern.empty());
  static_cast<void>(graphite::parse_expand_query(*url));
  static_cast<void>(graphite::parse_completion(*url, "tagPrefix"));
  return 0;
}
