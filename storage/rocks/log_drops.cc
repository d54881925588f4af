#include "storage/rocks/log_drops.h"

#include "base/number_text.h"

namespace statmill {

// "...000012.log: dropping 4711 bytes; Corruption: checksum mismatch"
std::optional<uint64_t> dropped_bytes(std::string_view warning) {
  constexpr std::string_view kBefore = ": dropping ";
  const size_t at = warning.find(kBefore);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = warning.substr(at + kBefore.size());
  const size_t end = rest.find(" bytes");
  return end == std::string_view::npos ? std::nullopt : parse_as<uint64_t>(rest.substr(0, end));
}

}  // namespace statmill
