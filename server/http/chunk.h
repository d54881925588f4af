// The lines between the pieces of a chunked body (RFC 9112 section 7.1).
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace statmill {

inline constexpr std::string_view kChunkEnd = "\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

// Returns the line before a chunk of that many bytes.
inline std::string chunk_line(size_t size) {
  std::array<char, 20> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), size, 16).ptr;
  return std::string(text.data(), end) + "\r\n";
}

}  // namespace statmill
