// The first line of the input is a regular expression, the rest a value: the forms that are tested without
// RE2 agree with RE2, and so does a name in an index.
#include <re2/re2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "server/names/name_index.h"
#include "server/names/value_test.h"

namespace {

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = statmill::utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace statmill;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t line_end = std::min(bytes.find('\n'), size);
  const std::string expression(bytes.substr(0, line_end));
  const std::string value(bytes.substr(std::min(line_end + 1, size)));
  if (!is_utf8(value)) return 0;  // `.` of RE2 matches whole characters only
  const auto test = ValueTest::parse({LabelMatcher::Op::kMatches, "a", expression});
  if (!test) return 0;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_dot_nl(true);
  SM_CHECK(test->accepts(value) == re2::RE2::FullMatch(value, re2::RE2(expression, options)));
  const auto name = canonical_name(LabelPairs{{"__name__", "m"}, {"a", value}});
  if (!name) return 0;
  NameIndex index;
  index.add(*name);
  bool is_found = false;
  const auto find = [&](std::string_view) { return is_found = true; };
  SM_CHECK(index.select(std::vector<LabelMatcher>{{LabelMatcher::Op::kMatches, "a", expression}}, find));
  SM_CHECK(is_found == test->accepts(value));
  return 0;
}
