#include "server/http/known_hosts.h"

#include <arpa/inet.h>

#include <algorithm>

namespace statmill {
namespace {

constexpr size_t kHostBytesMax = 253;  // RFC 1035 section 2.3.4, as text

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string_view without_final_dot(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  return name;
}

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_port(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_address(int family, std::string_view text) {
  in6_addr address{};  // has room for both families
  return ::inet_pton(family, std::string(text).c_str(), &address) == 1;
}

}  // namespace

Status KnownHosts::add(std::string_view name) {
  std::string host = lower_case(without_final_dot(name));
  if (host.empty() || host.size() > kHostBytesMax || !std::ranges::all_of(host, is_name_byte)) {
    return Error{ErrorCode::kInvalid,
                 "\"" + std::string(name) + "\": must be a host name, without scheme and port"};
  }
  names_.push_back(std::move(host));
  return Status::ok();
}

bool KnownHosts::contains(std::string_view host) const {
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view rest = host.substr(end + 1);
    return is_address(AF_INET6, host.substr(1, end - 1)) &&
           (rest.empty() || (rest.starts_with(':') && is_port(rest.substr(1))));
  }
  const size_t colon = std::min(host.find(':'), host.size());
  if (colon < host.size() && !is_port(host.substr(colon + 1))) return false;
  const std::string name = lower_case(without_final_dot(host.substr(0, colon)));
  return name == "localhost" || is_address(AF_INET, name) || std::ranges::find(names_, name) != names_.end();
}

}  // namespace statmill
