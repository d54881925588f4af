#include "proto/agent_id.h"

#include "base/number_text.h"

namespace statmill {

std::string AgentId::text() const {
  std::string out;
  for (const uint8_t byte : bytes) {
    out.push_back(kHexDigits[byte >> 4]);
    out.push_back(kHexDigits[byte & 15]);
  }
  return out;
}

std::optional<AgentId> AgentId::parse(std::string_view text) {
  if (text.size() != 2 * kBytes) return std::nullopt;
  AgentId id;
  for (size_t i = 0; i < kBytes; ++i) {
    const size_t high = kHexDigits.find(text[2 * i]);
    const size_t low = kHexDigits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    id.bytes[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return id;
}

}  // namespace statmill
