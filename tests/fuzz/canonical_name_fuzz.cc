// Any bytes as a name: an accepted spelling has one canonical spelling, which every way to read it leaves as
// it is. Any bytes as lines of a block with tags: the counts add up, and names are canonical.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "proto/canonical_name.h"
#include "proto/istatd/parser.h"
#include "tests/proto/tag_laws.h"

namespace {

using namespace statmill;

void check_name(std::string_view text) {
  const auto name = spelled_name(text);
  if (is_plainly_canonical(text) && is_text(text)) SM_CHECK(name.has_value() && *name == text);
  if (!name) return;
  SM_CHECK(is_canonical_name(*name));
  SM_CHECK(*spelled_name(*name) == *name);
}

void check_lines(std::string_view bytes, std::string_view tags) {
  const auto added = AddedTags::read(tags);
  if (!added) return;
  Batch whole;
  parse_canonical_lines(bytes, *added, whole);
  SM_CHECK(account_holds(whole));
  for (const Sample& sample : whole.samples) SM_CHECK(is_canonical_name(sample.name));
  const auto parse_line = [&](std::string_view line, Batch& batch) {
    parse_canonical_line(line, *added, batch);
  };
  SM_CHECK(is_same_line_by_line(whole, bytes, parse_line));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_name(text);
  check_lines(text, "");
  check_lines(text, "dc=eu;host=web1");
  check_lines(text, text.substr(0, text.find('\n')));
  return 0;
}
