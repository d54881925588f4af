// AgentId and AgentSecret: who an agent is, and how it proves it. Both are 128 random bits, made at its first
// start.
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

// Sent in each hello. The server keeps a hash of the first one that it sees with an id, so that nobody who
// merely knows the id can speak for the agent. It is never logged.
struct AgentSecret {
  static constexpr size_t kBytes = 16;

  std::array<uint8_t, kBytes> bytes{};

  bool operator==(const AgentSecret&) const = default;
};

}  // namespace statmill
