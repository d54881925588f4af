// AgentId: who an agent is, over restarts and changes of address: 128 random bits, made at its first start.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace statmill {

struct AgentId {
  static constexpr size_t kBytes = 16;

  std::array<uint8_t, kBytes> bytes{};

  // 32 hexadecimal digits, lower case.
  std::string text() const;
  // None: not 32 of them.
  static std::optional<AgentId> parse(std::string_view text);

  auto operator<=>(const AgentId&) const = default;
};

}  // namespace statmill
