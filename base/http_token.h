// Tokens of HTTP (RFC 9110, 5.6.2): methods and names of fields are made of them.
#pragma once

#include <algorithm>
#include <string_view>

namespace statmill {

inline bool is_http_token_byte(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

inline bool is_http_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_http_token_byte);
}

}  // namespace statmill
