#include "agent/catalogue/series_name.h"

#include <algorithm>

#include "base/check.h"
#include "proto/name_escapes.h"

namespace statmill {
namespace {

// Returns whether the value needs no escape: nearly all need none.
bool is_plain(std::string_view value) {
  return !value.starts_with('~') && std::all_of(value.begin(), value.end(), [](char c) {
    return c > ' ' && c < '\x7f' && c != ';' && c != '%';
  });
}

}  // namespace

void append_tag(std::string& out, std::string_view key, std::string_view value) {
  out.append(";").append(key).append("=");
  if (is_plain(value)) {
    out.append(value);
  } else {
    out.append(escaped_value(value));
  }
}

void append_series_name(std::string& out, const Family& family, TagValues values) {
  SM_CHECK(values.size() == family.tag_count());
  out.append(family.path);
  size_t i = 0;
  for (const std::string_view value : values) {
    const std::string_view key = family.tags.at(i++);
    if (!value.empty()) append_tag(out, key, value);
  }
}

}  // namespace statmill
