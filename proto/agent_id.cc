#include "proto/agent_id.h"

namespace statmill {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string AgentId::text() const {
  std::string out;
  for (const uint8_t byte : bytes) {
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

std::optional<AgentId> AgentId::parse(std::string_view text) {
  if (text.size() != 2 * kBytes) return std::nullopt;
  AgentId id;
  for (size_t i = 0; i < kBytes; ++i) {
    const size_t high = kDigits.find(text[2 * i]);
    const size_t low = kDigits.find(text[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    id.bytes[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return id;
}

}  // namespace statmill
