#include "server/rules/template_texts.h"

#include <algorithm>

namespace statmill::rules {

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return 'a' <= c && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return out;
}

std::string title(std::string_view text) {
  std::string out(text);
  bool is_start = true;
  for (char& c : out) {
    if (is_start && 'a' <= c && c <= 'z') c = static_cast<char>(c - 32);
    is_start = c == ' ' || c == '\t' || c == '\n';
  }
  return out;
}

std::string strip_port(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::string(text);
  const bool is_port = text.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  const bool is_address = text.front() != '[' && text.find(':') != colon;  // of IPv6, without brackets
  return std::string(is_port && !is_address ? text.substr(0, colon) : text);
}

std::string strip_domain(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos || text.find_first_not_of("0123456789.:") == std::string_view::npos)
    return std::string(text);  // a name without domain, or an address
  const size_t colon = text.find(':', dot);
  return std::string(text.substr(0, dot)).append(colon == std::string_view::npos ? "" : text.substr(colon));
}

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&#34;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

std::string escaped_url(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
                          std::string_view("-_.~").find(c) != std::string_view::npos;
    if (is_plain) {
      out.push_back(c);
    } else {
      out.append(1, '%').append(1, kHex[byte >> 4U]).append(1, kHex[byte & 15U]);
    }
  }
  return out;
}

}  // namespace statmill::rules
