// SpoolIdentity: who an agent is, in the file `identity` of its spool (FORMAT.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "proto/agent_id.h"

namespace statmill {

inline constexpr std::string_view kIdentityFile = "identity";
inline constexpr size_t kIdentityBytesMax = 4096;

struct SpoolIdentity {
  AgentId id{};
  uint32_t epoch = 1;  // of the numbering of its batches; never 0
  std::string place;   // place_hash() of where the spool was when this was written

  bool operator==(const SpoolIdentity&) const = default;
};

// 32 hexadecimal digits for any text that differs between a spool's place and that of a copy.
std::string place_hash(std::string_view place);

std::string encode_identity(const SpoolIdentity& identity);
// Errors: kCorrupt; kVersion (whole, but of another version).
Result<SpoolIdentity> decode_identity(std::string_view text);

}  // namespace statmill
