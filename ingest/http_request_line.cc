#include "ingest/http_request_line.h"

#include <algorithm>

#include "base/http_token.h"

namespace statmill {
namespace {

constexpr std::string_view kVersionForm = "HTTP/0.0";  // 0 is any digit

bool is_version(std::string_view text) {
  const auto has_form = [](char c, char form) { return form == '0' ? c >= '0' && c <= '9' : c == form; };
  return std::equal(text.begin(), text.end(), kVersionForm.begin(), kVersionForm.end(), has_form);
}

bool begins_target(std::string_view text) {
  return text.starts_with('/') || text == "*" || text.find("://") != std::string_view::npos;
}

}  // namespace

bool is_http_request_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return false;
  const std::string_view target = line.substr(first + 1, last - first - 1);
  return is_version(line.substr(last + 1)) && begins_target(target) &&
         target.find(' ') == std::string_view::npos && is_http_token(line.substr(0, first));
}

bool begins_http_request_line(std::string_view text) {
  const size_t first = text.find(' ');
  if (first == std::string_view::npos || !is_http_token(text.substr(0, first))) return false;
  text.remove_prefix(first + 1);
  return begins_target(text.substr(0, text.find(' ')));
}

}  // namespace statmill
