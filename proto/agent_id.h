// AgentId identifies an agent; AgentSecret proves that the agent owns the id. Both are 128 random bits that
// the agent makes at its first start.
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

  // Returns 32 lower-case hexadecimal digits.
  std::string text() const;
  // Returns nullopt unless `text` is 32 lower-case hexadecimal digits.
  static std::optional<AgentId> parse(std::string_view text);

  auto operator<=>(const AgentId&) const = default;
};

// Returns the first digits of an id, which reports and logs show.
inline std::string short_id(const AgentId& id) { return id.text().substr(0, 8); }

// The agent sends it in each hello. The server keeps a hash of the first secret that it sees with an id, so
// that knowing the id is not enough to impersonate the agent. It is never logged.
struct AgentSecret {
  static constexpr size_t kBytes = 16;

  std::array<uint8_t, kBytes> bytes{};

  bool operator==(const AgentSecret&) const = default;
};

}  // namespace statmill
