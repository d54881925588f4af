#include "server/http/cors_origins.h"

#include <algorithm>

namespace statmill {
namespace {

constexpr size_t kOriginBytesMax = 300;

// A browser writes the scheme and the host in small letters, and no port that is the scheme's own.
bool is_origin(std::string_view text) {
  const bool is_secure = text.starts_with("https://");
  if (!is_secure && !text.starts_with("http://")) return false;
  std::string_view rest = text.substr(is_secure ? 8 : 7);
  if (rest.starts_with('[')) {
    const size_t end = rest.find(']');
    const auto is_part = [](char c) {
      return ('0' <= c && c <= '9') || ('a' <= c && c <= 'f') || c == ':' || c == '.';
    };
    if (end == std::string_view::npos || end < 3 || !std::ranges::all_of(rest.substr(1, end - 1), is_part))
      return false;
    rest.remove_prefix(end + 1);
  } else {
    const auto is_part = [](char c) {
      return ('0' <= c && c <= '9') || ('a' <= c && c <= 'z') || c == '-' || c == '.' || c == '_';
    };
    const size_t end = std::min(rest.find(':'), rest.size());
    if (end == 0 || !std::ranges::all_of(rest.substr(0, end), is_part)) return false;
    rest.remove_prefix(end);
  }
  if (rest.empty()) return true;
  const std::string_view port = rest.substr(1);
  const bool is_number = !port.empty() && port.size() <= 5 && port.front() != '0' &&
                         std::ranges::all_of(port, [](char c) { return '0' <= c && c <= '9'; });
  return rest.front() == ':' && is_number && port != (is_secure ? "443" : "80");
}

}  // namespace

Status CorsOrigins::add(std::string_view origin) {
  if (origin.size() > kOriginBytesMax || !is_origin(origin))
    return Error{ErrorCode::kInvalid, "\"" + std::string(origin) +
                                          "\": must be an origin as a browser writes it, such as "
                                          "https://dash.example.org or http://dash:3000"};
  if (origins_.size() == kCountMax) return Error{ErrorCode::kInvalid, "more than 100 origins"};
  origins_.emplace_back(origin);
  return Status::ok();
}

const std::string* CorsOrigins::find(std::string_view origin) const {
  const auto at = std::ranges::find(origins_, origin);
  return at == origins_.end() ? nullptr : &*at;
}

}  // namespace statmill
