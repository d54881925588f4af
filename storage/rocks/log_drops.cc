#include "storage/rocks/log_drops.h"

#include <charconv>

namespace statmill {

// "...000012.log: dropping 4711 bytes; Corruption: checksum mismatch"
std::optional<uint64_t> dropped_bytes(std::string_view warning) {
  constexpr std::string_view kBefore = ": dropping ";
  const size_t at = warning.find(kBefore);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = warning.substr(at + kBefore.size());
  uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), bytes);
  const bool sound =
      error == std::errc() && rest.substr(static_cast<size_t>(end - rest.data())).starts_with(" bytes");
  return sound ? std::optional(bytes) : std::nullopt;
}

}  // namespace statmill
