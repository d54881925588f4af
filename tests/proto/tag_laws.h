// Laws of the dialects with tags for any bytes, shared by the property tests and the fuzz targets.
// is_canonical_name() is an independent, slow implementation.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/text.h"
#include "proto/name_escapes.h"
#include "proto/tagged_name.h"
#include "tests/proto/line_laws.h"

namespace statmill {

inline bool is_canonical_name(std::string_view name) {
  if (name.size() > kNameBytesMax || !is_clean_text(name)) return false;
  const auto parts = split(name, ';');
  if (parts.empty() || parts[0].empty() || parts[0].front() == '~') return false;
  if (escaped_path(unescaped(parts[0])) != parts[0]) return false;
  if (parts.size() > kTagsMax + 1) return false;
  std::string_view last_key;
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t assign = parts[i].find('=');
    if (assign == 0 || assign == std::string_view::npos) return false;
    const std::string_view key = parts[i].substr(0, assign);
    const std::string_view value = parts[i].substr(assign + 1);
    if (key <= last_key || key == "name" || key.find_first_of("!^") != std::string_view::npos) return false;
    if (value.empty() || value.front() == '~') return false;
    if (escaped_key(unescaped(key)) != key || escaped_value(unescaped(value)) != value) return false;
    last_key = key;
  }
  return true;
}

inline bool is_sane_tagged(const Sample& s) {
  if (!is_canonical_name(s.name) || !is_sane(s.value)) return false;
  if (!s.ready) return true;
  return s.kind == Kind::kDistribution && s.ready->cells.empty() && s.ready->count > 1 &&
         same_number(s.ready->min, s.ready->max) && is_sane(s.ready->min) && is_sane(s.ready->sum_of_squares);
}

// A copy of the bytes in an allocation of exactly their size, so that sanitizers find reads past the end.
class ExactCopy {
 public:
  explicit ExactCopy(std::string_view bytes) : bytes_(new char[bytes.size()]), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), bytes_.get());
  }
  std::string_view text() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_;
};

}  // namespace statmill
